// Pairs as named arrays, and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/pairs/pair_set.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/data/trees/tree_arrays.hpp"

namespace cairn {

namespace {

constexpr const char* tree_names_path = "pairs/trees";  // paths in the file
constexpr const char* feature_names_path = "pairs/features";
constexpr const char* origin_path = "pairs/origin";
constexpr const char* stop_words_path = "pairs/stop-words";
constexpr const char* vectors_path = "tree-labels/vectors";
constexpr const char* features_name = "features";  // array of a block

std::string prefix_of(bool left, std::size_t tree) { return fmt::format("{}/{}/", left ? "left" : "right", tree); }

class CommonPairs final : public CommonObjects {
 public:
  /// @param labels  null: there are no trees
  CommonPairs(std::shared_ptr<const PairForm> form, std::unique_ptr<CommonLabels> labels)
      : form_(std::move(form)), labels_(std::move(labels)) {}
  [[nodiscard]] const std::shared_ptr<const PairForm>& form() const { return form_; }
  [[nodiscard]] const CommonLabels& labels() const { return *labels_; }

  void write(ArrayWriter& arrays) const override {
    const auto write_names = [&](const char* path, const std::vector<std::string>& names) {
      arrays.write_texts(path, std::vector<std::string_view>(names.begin(), names.end()));
    };
    write_names(tree_names_path, form_->trees);
    write_names(feature_names_path, form_->features);
    write_names(origin_path, form_->origin);
    write_names(stop_words_path, form_->stop_words);
    if (labels_ != nullptr) labels_->write(arrays);
  }

 private:
  std::shared_ptr<const PairForm> form_;
  std::unique_ptr<CommonLabels> labels_;
};

const TreeBlock& trees_of(const std::unique_ptr<ObjectBlock>& block) { return dynamic_cast<const TreeBlock&>(*block); }

void append_forests(const PairBlock& block, std::vector<ForestView>& forests) {
  for (const auto* side : {&block.left, &block.right}) {
    for (const auto& trees : *side) forests.push_back(trees_of(trees).trees);
  }
}

template <class T>
bool write_features(ArrayWriter& arrays, const ObjectBlock& features) {
  const auto* points = dynamic_cast<const PointBlock<T>*>(&features);
  if (points != nullptr) arrays.write_matrix<T>(features_name, points->coordinates);
  return points != nullptr;
}

template <class T>
std::unique_ptr<ObjectBlock> copy_of_features(const ObjectBlock& features) {
  const auto* points = dynamic_cast<const PointBlock<T>*>(&features);
  if (points == nullptr) return nullptr;
  std::vector<T> values;
  for (Index a = 0; a < points->size(); ++a) {
    const T* row = points->coordinates.row(a);
    values.insert(values.end(), row, row + points->coordinates.columns);
  }
  return make_point_block<T>(points->ids, points->coordinates.columns, values, points->set);
}

template <class T>
std::unique_ptr<ObjectBlock> read_features(const StoredObjects& stored, Index features) {
  const ArrayReader& arrays = stored.arrays;
  const Index size = std::ssize(stored.indices);
  const ArrayShape shape = arrays.shape(features_name);
  if (shape.number != array_number<T>() || shape.rows != size || shape.columns != features) {
    arrays.refuse(fmt::format("{} are not {} numbers of {} pairs", arrays.called(features_name), features, size));
  }
  std::vector<T> values(size * features);
  arrays.read(features_name, values.data());
  const auto bad = std::ranges::find_if(values, [](T value) { return !std::isfinite(value); });
  if (bad != values.end()) arrays.refuse(fmt::format("{} holds {}", arrays.called(features_name), *bad));
  return make_point_block<T>(stored.indices, features, values);
}

}  // namespace

std::unique_ptr<CommonObjects> PairBlock::common_with(const ObjectBlock* other) const {
  std::vector<ForestView> forests;
  append_forests(*this, forests);
  if (const auto* more = dynamic_cast<const PairBlock*>(other); more != nullptr) {
    if (*more->form != *form || (!left.empty() && trees_of(more->left[0]).labels != trees_of(left[0]).labels)) {
      throw Error(ErrorKind::internal, "the landmarks of the factors are of different pairs");
    }
    append_forests(*more, forests);
  }
  std::unique_ptr<CommonLabels> labels;
  if (!left.empty()) labels = std::make_unique<CommonLabels>(trees_of(left[0]).labels, used_labels(forests));
  return std::make_unique<CommonPairs>(form, std::move(labels));
}

void PairBlock::write(ArrayWriter& arrays, const CommonObjects* common) const {
  const auto* pairs = dynamic_cast<const CommonPairs*>(common);
  if (pairs == nullptr) throw Error(ErrorKind::internal, "pairs are written without what they have in common");
  for (std::size_t k = 0; k < left.size(); ++k) {
    for (const bool of_left : {true, false}) {
      const TreeBlock& trees = trees_of((of_left ? left : right)[k]);
      write_forest(arrays, prefix_of(of_left, k), trees.trees, pairs->labels());
      trees.of_trees.write(arrays, prefix_of(of_left, k), trees.of_first, trees.size());
    }
  }
  if (features == nullptr) return;
  if (!write_features<double>(arrays, *features) && !write_features<float>(arrays, *features)) {
    throw Error(ErrorKind::internal, "the features of pairs are no points");
  }
}

std::unique_ptr<ObjectBlock> PairBlock::matched_to(const ObjectSet& others) const {
  const auto* pairs = dynamic_cast<const PairSet*>(&others);
  if (pairs == nullptr || pairs->form() != *form) {
    throw Error(ErrorKind::internal, "pairs of different trees or features are to be compared");
  }
  auto block = std::make_unique<PairBlock>(set, ids);
  block->form = form;
  const auto matched = [&](const std::unique_ptr<ObjectBlock>& side) -> std::unique_ptr<ObjectBlock> {
    const TreeBlock& trees = trees_of(side);
    TreeRecords records(1, 0, 0);
    records.forests[0] = renumbered(trees.trees, *trees.labels, *pairs->tree_labels());
    records.count = trees.size();
    auto made = make_tree_block(trees.ids, std::move(records), pairs->tree_labels(), trees.set);
    made->of_trees = trees.of_trees;
    made->of_first = trees.of_first;
    made->of_total = trees.of_total;
    return made;
  };
  for (const auto& side : left) block->left.push_back(matched(side));
  for (const auto& side : right) block->right.push_back(matched(side));
  if (features != nullptr) {
    block->features = copy_of_features<double>(*features);
    if (block->features == nullptr) block->features = copy_of_features<float>(*features);
  }
  return block;
}

std::unique_ptr<CommonObjects> read_common_pairs(const Communicator& communicator, const ArrayReader& file,
                                                 Index /*dimension*/) {
  Index vectors = 0;
  auto form = collectively(communicator, [&] {
    auto read = std::make_shared<PairForm>();
    read->trees = file.read_texts(tree_names_path);
    read->features = file.read_texts(feature_names_path);
    read->origin = file.read_texts(origin_path);
    read->stop_words = file.read_texts(stop_words_path);
    if (read->origin.size() != pair_origin_texts) {
      file.refuse(fmt::format("{} is not {} texts", file.called(origin_path), pair_origin_texts));
    }
    if (read->trees.empty() && read->features.empty()) file.refuse("its pairs have neither trees nor features");
    if (file.has(vectors_path)) vectors = file.shape(vectors_path).columns;
    return read;
  });
  std::unique_ptr<CommonLabels> labels;
  if (!form->trees.empty()) {
    auto common = read_common_labels(communicator, file, vectors);
    labels.reset(dynamic_cast<CommonLabels*>(common.release()));
  }
  return std::make_unique<CommonPairs>(std::move(form), std::move(labels));
}

template <class T>
std::unique_ptr<ObjectBlock> read_pair_block(const StoredObjects& stored) {
  const auto* common = dynamic_cast<const CommonPairs*>(stored.common);
  if (common == nullptr) stored.arrays.refuse("its pairs have no names of trees and features");
  auto block = std::make_unique<PairBlock>(SetIdentity(), stored.indices);
  block->form = common->form();
  const Index size = std::ssize(stored.indices);
  for (std::size_t k = 0; k < block->form->trees.size(); ++k) {
    for (const bool left : {true, false}) {
      TreeRecords records(1, 0, 0);
      records.forests[0] = read_forest(stored.arrays, prefix_of(left, k), size, common->labels());
      records.count = size;
      auto trees = make_tree_block(stored.indices, std::move(records), common->labels().labels());
      trees->of_trees.read(stored.arrays, prefix_of(left, k), size);
      (left ? block->left : block->right).push_back(std::move(trees));
    }
  }
  const Index features = std::ssize(block->form->features);
  if (features > 0) block->features = read_features<T>(stored, features);
  return block;
}

template std::unique_ptr<ObjectBlock> read_pair_block<float>(const StoredObjects&);
template std::unique_ptr<ObjectBlock> read_pair_block<double>(const StoredObjects&);

}  // namespace cairn
