#include "cairn/similarity/trees/tree_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/data/points/scaled_points.hpp"

namespace cairn {

namespace {

// Copies the numbers in the precision of the run, row after row.
template <class T>
void take_values(MatrixView<const double> numbers, T* out) {
  for (Index a = 0; a < numbers.rows; ++a) {
    for (Index j = 0; j < numbers.columns; ++j) *out++ = static_cast<T>(numbers(a, j));
  }
}

template <class T>
std::unique_ptr<PointSet<T>> points_of(const TreeSet& trees, int rank) {
  const MatrixView<const double> numbers = trees.numbers();
  RowBlock<T> rows(trees.partition(), rank, numbers.columns);
  take_values(numbers, rows.local().data);
  return std::make_unique<PointSet<T>>(std::move(rows), rank, std::vector<std::string>());
}

template <class T>
class TreeFeatures final : public Similarity<T> {
 public:
  explicit TreeFeatures(std::unique_ptr<Similarity<T>> points)
      : Similarity<T>(traits_of(points->traits())), points_(std::move(points)) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return points_->parameters();
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    this->tile_of(*points_, *block_of(rows), *block_of(columns), out);
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    this->pairs_of(*points_, *block_of(first), *block_of(second), out);
  }

 private:
  static EntryTraits traits_of(EntryTraits traits) {
    traits.base.clear();
    return traits;
  }
  static std::unique_ptr<ObjectBlock> block_of(const ObjectBlock& objects) {
    const auto* trees = dynamic_cast<const TreeBlock*>(&objects);
    if (trees == nullptr) throw Error(ErrorKind::internal, "features of trees were asked of other objects");
    std::vector<T> values(trees->numbers.rows * trees->numbers.columns);
    take_values(trees->numbers, values.data());
    return make_point_block<T>(trees->ids, trees->numbers.columns, std::move(values), trees->set);
  }
  std::unique_ptr<Similarity<T>> points_;
};

}  // namespace

bool compares_points(const SimilarityChoice& choice) {
  const auto& compared = choice.descriptor->objects;
  return std::ranges::find(compared, objects::points) != compared.end();
}

template <class T>
std::unique_ptr<Similarity<T>> make_feature_similarity(const Execution& execution, const SimilarityChoice& choice,
                                                       const TreeSet& trees, MakeSimilarity<T> make) {
  if (trees.numbers().columns == 0) {
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} compares features, and the trees were read without", choice.name()));
  }
  const auto points =
      collectively(execution.communicator, [&] { return points_of<T>(trees, execution.communicator.rank()); });
  if constexpr (std::is_same_v<T, float>) {
    const std::string lost =
        lost_digits(execution.communicator, *points, "features of trees", "double precision keeps it");
    if (!lost.empty() && execution.communicator.is_root()) log(LogLevel::warning, lost);
  }
  auto similarity = make({execution, choice, *points});
  similarity->set_keys(choice.values.keys());
  return std::make_unique<TreeFeatures<T>>(std::move(similarity));
}

template std::unique_ptr<Similarity<float>> make_feature_similarity(const Execution&, const SimilarityChoice&,
                                                                    const TreeSet&, MakeSimilarity<float>);
template std::unique_ptr<Similarity<double>> make_feature_similarity(const Execution&, const SimilarityChoice&,
                                                                     const TreeSet&, MakeSimilarity<double>);

}  // namespace cairn
