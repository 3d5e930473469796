#include "cairn/data/trees/tree_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/trees/tree_set.hpp"

namespace cairn {

namespace {

constexpr const char* names_path = "tree-labels/names";  // in the file
constexpr const char* origin_path = "tree-labels/origin";
constexpr const char* words_path = "tree-labels/words";
constexpr const char* vectors_path = "tree-labels/vectors";
constexpr const char* feature_names_path = "tree-labels/features";  // if the trees have numbers
constexpr const char* feature_vector_path = "tree-labels/features-vector";
constexpr const char* texts_name = "texts";  // in a block
constexpr const char* numbers_name = "features";

void write_vectors(ArrayWriter& arrays, const WordVectors& vectors, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> words;
  for (const std::string_view name : names) {
    if (const LexicalLabel label = lexical_label(name); !label.word.empty()) words.push_back(label.word);
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::string_view> kept;
  std::vector<Index> rows;
  for (Index w = 0; w < vectors.size(); ++w) {
    if (!std::ranges::binary_search(words, vectors.word(w))) continue;
    kept.push_back(vectors.word(w));
    rows.push_back(w);
  }
  arrays.write_words(words_path, kept);
  arrays.write(vectors_path, {ArrayNumber::float32, std::ssize(kept), vectors.dimension()}, [&](Index k) {
    return ArrayWriter::Piece{vectors.vectors().row(rows[k]), 1};
  });
}

std::vector<std::string> read_names(const ArrayReader& file) {
  std::vector<std::string> names = file.read_texts(names_path);
  if (names.empty() || !std::ranges::is_sorted(names) || std::ranges::adjacent_find(names) != names.end()) {
    file.refuse(fmt::format("{} are not different labels in their order", file.called(names_path)));
  }
  return names;
}

void read_vectors(const ArrayReader& file, Index dimension, std::vector<std::string>& words,
                  std::vector<float>& values) {
  words = file.read_words(words_path);
  const ArrayShape shape = file.shape(vectors_path);
  std::vector<std::string> sorted = words;
  std::ranges::sort(sorted);
  if (shape.number != ArrayNumber::float32 || shape.rows != std::ssize(words) || shape.columns != dimension ||
      dimension < 1 || std::ranges::adjacent_find(sorted) != sorted.end()) {
    file.refuse(fmt::format("{} and {} are not different words and their vectors of {} numbers",
                            file.called(words_path), file.called(vectors_path), dimension));
  }
  values.resize(words.size() * static_cast<std::size_t>(dimension));
  file.read(vectors_path, values.data());
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad != values.end()) file.refuse(fmt::format("{} holds {}", file.called(vectors_path), *bad));
}

// Reads the trees' numbers if the labels have feature names.
void read_numbers(const StoredObjects& stored, const CommonLabels& common, TreeRecords& records) {
  const ArrayReader& arrays = stored.arrays;
  const Index width = std::ssize(common.labels()->origin().feature_names);
  if (width == 0) return;
  const ArrayShape shape = arrays.shape(numbers_name);
  if (shape.number != array_number<double>() || shape.rows != records.count || shape.columns != width) {
    arrays.refuse(fmt::format("{} are not {} numbers of {} trees", arrays.called(numbers_name), width, records.count));
  }
  records.width = width;
  records.numbers.resize(records.count * width);
  arrays.read(numbers_name, records.numbers.data());
  const auto bad = std::ranges::find_if(records.numbers, [](double value) { return !std::isfinite(value); });
  if (bad != records.numbers.end()) arrays.refuse(fmt::format("{} holds {}", arrays.called(numbers_name), *bad));
}

const CommonLabels& common_labels(const CommonObjects* common) {
  const auto* labels = dynamic_cast<const CommonLabels*>(common);
  if (labels == nullptr) throw Error(ErrorKind::internal, "trees are written without their labels");
  return *labels;
}

}  // namespace

CommonLabels::CommonLabels(std::shared_ptr<const TreeLabels> labels, std::vector<std::int32_t> used)
    : labels_(std::move(labels)), used_(std::move(used)) {}

std::int32_t CommonLabels::number(std::int32_t label) const {
  return static_cast<std::int32_t>(std::ranges::lower_bound(used_, label) - used_.begin());
}

void CommonLabels::write(ArrayWriter& arrays) const {
  std::vector<std::string_view> names;
  for (const std::int32_t label : used_) names.push_back(labels_->name(label));
  arrays.write_texts(names_path, names);
  const TreeOrigin& origin = labels_->origin();
  const std::vector<std::string_view> texts = {origin.format, origin.tree, origin.text};
  arrays.write_texts(origin_path, texts);
  if (!origin.feature_names.empty()) {
    arrays.write_texts(feature_names_path,
                       std::vector<std::string_view>(origin.feature_names.begin(), origin.feature_names.end()));
    arrays.write_texts(feature_vector_path, std::vector<std::string_view>{origin.features});
  }
  if (labels_->vectors() != nullptr) write_vectors(arrays, *labels_->vectors(), names);
}

std::vector<std::int32_t> used_labels(const std::vector<ForestView>& forests) {
  std::vector<std::int32_t> used;
  for (const ForestView& forest : forests) {
    for (Index k = forest.starts.front(); k < forest.starts.back(); ++k) {
      used.push_back(forest.nodes[k].label);
    }
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

void write_forest(ArrayWriter& arrays, const std::string& prefix, ForestView forest, const CommonLabels& common) {
  std::vector<Index> starts(forest.starts.begin(), forest.starts.end());
  for (Index& start : starts) start -= forest.starts.front();
  std::vector<std::int32_t> labels, sizes;
  for (Index k = forest.starts.front(); k < forest.starts.back(); ++k) {
    const TreeNode& node = forest.nodes[k];
    labels.push_back(common.number(node.label));
    sizes.push_back(node.size);
  }
  arrays.write_list<Index>(prefix + "starts", starts);
  arrays.write_list<std::int32_t>(prefix + "labels", labels);
  arrays.write_list<std::int32_t>(prefix + "sizes", sizes);
}

Forest read_forest(const ArrayReader& arrays, const std::string& prefix, Index size, const CommonLabels& common) {
  Forest forest;
  forest.starts = arrays.read_list<Index>(prefix + "starts");
  const auto labels = arrays.read_list<std::int32_t>(prefix + "labels");
  const auto sizes = arrays.read_list<std::int32_t>(prefix + "sizes");
  const Index nodes = std::ssize(labels);
  const bool fits = labels.size() == sizes.size() && forest.size() == size && forest.starts.front() == 0 &&
                    forest.starts.back() == nodes && std::ranges::is_sorted(forest.starts);
  if (!fits) arrays.refuse(fmt::format("{} are not {} trees", arrays.called(prefix + "starts"), size));
  for (std::size_t k = 0; k < labels.size(); ++k) forest.nodes.push_back({labels[k], sizes[k]});
  for (Index a = 0; a < size; ++a) {
    if (is_sound(forest.tree(a), common.labels()->size())) continue;
    arrays.refuse(fmt::format("{} and {} do not make a tree of object {}", arrays.called(prefix + "labels"),
                              arrays.called(prefix + "sizes"), a));
  }
  return forest;
}

Forest renumbered(ForestView forest, const TreeLabels& from, const TreeLabels& to) {
  const std::vector<std::int32_t> used = used_labels({forest});
  std::vector<std::int32_t> numbers;
  for (const std::int32_t label : used) {
    numbers.push_back(to.find(from.name(label)));
    if (numbers.back() == TreeLabels::none)
      throw Error(ErrorKind::internal, "a label is not among those of other trees");
  }
  Forest renumbered;
  renumbered.nodes.reserve(forest.starts.back() - forest.starts.front());
  for (Index a = 0; a < forest.size(); ++a) {
    renumbered.append(forest.tree(a));
  }
  for (TreeNode& node : renumbered.nodes) {
    node.label = numbers[std::ranges::lower_bound(used, node.label) - used.begin()];
  }
  return renumbered;
}

std::unique_ptr<CommonObjects> TreeBlock::common_with(const ObjectBlock* other) const {
  std::vector<ForestView> forests{trees};
  if (const auto* more = dynamic_cast<const TreeBlock*>(other); more != nullptr) {
    if (more->labels != labels)
      throw Error(ErrorKind::internal, "the landmarks of the factors number different labels");
    forests.push_back(more->trees);
  }
  return std::make_unique<CommonLabels>(labels, used_labels(forests));
}

void TreeBlock::write(ArrayWriter& arrays, const CommonObjects* common) const {
  write_forest(arrays, "", trees, common_labels(common));
  if (!texts.empty()) arrays.write_texts(texts_name, texts);
  if (numbers.columns > 0) arrays.write_matrix<double>(numbers_name, numbers);
  of_trees.write(arrays, "", of_first, size());
}

std::unique_ptr<ObjectBlock> TreeBlock::matched_to(const ObjectSet& others) const {
  const auto* set_of_trees = dynamic_cast<const TreeSet*>(&others);
  if (set_of_trees == nullptr || set_of_trees->tree_labels() == labels) return nullptr;
  TreeRecords records(1, texts.empty() ? 0 : 1, numbers.columns);
  for (Index a = 0; a < numbers.rows; ++a) {
    records.numbers.insert(records.numbers.end(), numbers.row(a), numbers.row(a) + numbers.columns);
  }
  records.forests[0] = renumbered(trees, *labels, *set_of_trees->tree_labels());
  for (const std::string_view text : texts) records.texts[0].append(text);
  records.count = size();
  auto block = make_tree_block(ids, std::move(records), set_of_trees->tree_labels(), set);
  block->of_trees = of_trees;
  block->of_first = of_first;
  block->of_total = of_total;
  return block;
}

std::unique_ptr<CommonObjects> read_common_labels(const Communicator& communicator, const ArrayReader& file,
                                                  Index dimension) {
  std::vector<std::string> words;
  std::vector<float> values;
  std::shared_ptr<TreeLabels> labels = collectively(communicator, [&] {
    auto read = std::make_shared<TreeLabels>(read_names(file));
    const std::vector<std::string> origin = file.read_texts(origin_path);
    if (origin.size() != 3) file.refuse(fmt::format("{} is not three texts", file.called(origin_path)));
    TreeOrigin from{origin[0], origin[1], origin[2]};
    if (file.has(feature_names_path)) {
      from.feature_names = file.read_texts(feature_names_path);
      const std::vector<std::string> of = file.read_texts(feature_vector_path);
      if (of.size() != 1 || from.feature_names.empty()) {
        file.refuse(fmt::format("{} and {} are not the names of numbers, and of their vector",
                                file.called(feature_names_path), file.called(feature_vector_path)));
      }
      from.features = of.front();
    }
    read->set_origin(std::move(from));
    if (file.has(words_path)) read_vectors(file, dimension, words, values);
    return read;
  });
  if (!words.empty()) {
    labels->use_vectors(std::make_shared<const WordVectors>(communicator, words, dimension, values));
  }
  std::vector<std::int32_t> all(labels->size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
  return std::make_unique<CommonLabels>(std::move(labels), std::move(all));
}

std::unique_ptr<ObjectBlock> read_tree_block(const StoredObjects& stored) {
  const auto* common = dynamic_cast<const CommonLabels*>(stored.common);
  if (common == nullptr) stored.arrays.refuse(fmt::format("{} are trees without labels", stored.arrays.called("")));
  const Index size = std::ssize(stored.indices);
  TreeRecords records(1, stored.arrays.has(texts_name) ? 1 : 0, 0);
  records.forests[0] = read_forest(stored.arrays, "", size, *common);
  records.count = size;
  if (!records.texts.empty()) {
    const std::vector<std::string> texts = stored.arrays.read_texts(texts_name);
    if (std::ssize(texts) != size) {
      stored.arrays.refuse(fmt::format("{} are not one text a tree", stored.arrays.called(texts_name)));
    }
    for (const std::string& text : texts) records.texts[0].append(text);
  }
  read_numbers(stored, *common, records);
  auto block = make_tree_block(stored.indices, std::move(records), common->labels());
  block->of_trees.read(stored.arrays, "", size);
  return block;
}

}  // namespace cairn
