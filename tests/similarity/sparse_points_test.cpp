// Sparse points give what the same points give with all coordinates: every similarity of points, in every form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/similarity/base_distance.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "point_objects.hpp"

namespace cairn::test::sparse_points_test {
namespace {

constexpr Index points = 70, width = 400;

// A few coordinates of each point, and of the first a single one; points 3 and 4 are the same.
std::optional<double> entry(Index i, Index k) {
  const Random random(11, Stream::test);
  const auto row = static_cast<std::uint64_t>(i == 4 ? 3 : i), column = static_cast<std::uint64_t>(k);
  if (i == 0 && k != 5) return std::nullopt;
  if (k >= 3 && k < 6) return 0.25 + random.uniform(row, column);  // all of them meet here
  if (random.uniform(row, 1000 + column) > 0.04) return std::nullopt;
  return random.normal(row, column) / 4;
}

// The same points in both forms.
template <class T>
struct Forms {
  Forms()
      : dense(make_points<T>(points, width, [](Index i, Index k) { return entry(i, k).value_or(0); })),
        sparse(entries()) {}
  PointSet<T> dense, sparse;

 private:
  static PointSet<T> entries() {
    const RowPartition partition(points, world().size());
    const Range own = partition.range(world().rank());
    std::vector<Index> starts{0}, columns;
    std::vector<T> values;
    for (Index i = own.begin; i < own.end; ++i) {
      for (Index k = 0; k < width; ++k) {
        const auto value = entry(i, k);
        if (!value) continue;
        columns.push_back(k);
        values.push_back(static_cast<T>(*value));
      }
      starts.push_back(std::ssize(columns));
    }
    return {SparseRows<T>(partition, world().rank(), width, std::move(starts), std::move(columns), std::move(values)),
            world().rank(),
            {}};
  }
};

// Of the largest value, where that is above 1.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY, scale = 1;
  for (const double value : b) scale = std::max(scale, std::abs(value));
  for (std::size_t e = 0; e < a.size() && e < b.size(); ++e) largest = std::max(largest, std::abs(a[e] - b[e]));
  return largest / scale;
}

bool compares_points(const SimilarityDescriptor& similarity) {
  return std::ranges::find(similarity.objects, objects::points) != similarity.objects.end() &&
         !similarity.traits.composite && !similarity.traits.stored && !similarity.traits.single_source;
}

template <class T>
std::vector<double> tile_of(const Similarity<T>& similarity, const ObjectBlock& rows, const ObjectBlock& columns,
                            bool base = false) {
  std::vector<T> values(rows.size() * columns.size());
  const MatrixView<T> tile(values.data(), rows.size(), columns.size());
  base ? similarity.base_tile(rows, columns, tile) : similarity.tile(rows, columns, tile);
  return {values.begin(), values.end()};
}

template <class T>
std::vector<double> pairs_of(const Similarity<T>& similarity, const ObjectBlock& first, const ObjectBlock& second) {
  std::vector<T> values(first.ids.size());
  similarity.pairs(first, second, values);
  return {values.begin(), values.end()};
}

template <class T>
void compare_similarity(const SimilarityDescriptor& descriptor, double tolerance) {
  SCOPED_TRACE(descriptor.name);
  const Context context;
  const Forms<T> forms;
  const auto of_sparse = make_similarity<T>(context.execution, SimilarityChoice(descriptor), forms.sparse);
  const auto of_dense = make_similarity<T>(context.execution, SimilarityChoice(descriptor), forms.dense);
  const std::vector<Index> ids = numbers(0, points), others = numbers(1, points, 3);
  const std::vector<Index> backwards(ids.rbegin(), ids.rend());
  const auto rows = forms.sparse.gather(world(), ids), columns = forms.sparse.gather(world(), others);
  const auto all_rows = forms.dense.gather(world(), ids), all_columns = forms.dense.gather(world(), others);
  const auto turned = forms.sparse.gather(world(), backwards), all_turned = forms.dense.gather(world(), backwards);
  const std::vector<double> expected = tile_of(*of_dense, *all_rows, *all_columns);
  EXPECT_LT(largest_difference(tile_of(*of_sparse, *rows, *columns), expected), tolerance);
  EXPECT_LT(largest_difference(pairs_of(*of_sparse, *rows, *turned), pairs_of(*of_dense, *all_rows, *all_turned)),
            tolerance);
  if (of_dense->base_distance() != nullptr) {
    EXPECT_LT(largest_difference(tile_of(*of_sparse, *rows, *columns, true),
                                 tile_of(*of_dense, *all_rows, *all_columns, true)),
              50 * tolerance);
  }
  // One side sparse: objects of different sets are never the same.
  const std::vector<double> apart = tile_of(
      *of_dense, *make_block<T>(ids, width, [](Index i, Index k) { return entry(i, k).value_or(0); }), *all_columns);
  EXPECT_LT(largest_difference(tile_of(*of_sparse, *all_rows, *columns), apart), tolerance) << "sparse columns";
  EXPECT_LT(largest_difference(tile_of(*of_sparse, *rows, *all_columns), apart), tolerance) << "sparse rows";
  const Range own = forms.sparse.range();
  if (own.size() == 0) return;
  const auto there = forms.sparse.unpack(own, forms.sparse.pack(own));
  const std::vector<double> part = tile_of(*of_dense, *forms.dense.block(own), *all_columns);
  EXPECT_LT(largest_difference(tile_of(*of_sparse, *there, *columns), part), tolerance) << "on their way";
  EXPECT_LT(largest_difference(tile_of(*of_sparse, *forms.sparse.block(own), *columns), part), tolerance) << "own";
}

TEST(SparsePoints, AreComparedAsDenseOnesByEverySimilarity) {
  Index compared = 0;
  for (const SimilarityDescriptor* descriptor : similarities()) {
    if (!compares_points(*descriptor)) continue;
    ++compared;
    compare_similarity<double>(*descriptor, 1e-12);
    compare_similarity<float>(*descriptor, 2e-5);
  }
  EXPECT_GE(compared, 9);
}

TEST(SparsePoints, GiveWholeRowsAsDenseOnes) {
  const Context context;
  const Forms<double> forms;
  const std::vector<Index> chosen = {0, 3, 69};
  const auto rows_of = [&](const SimilarityDescriptor& descriptor, const PointSet<double>& set) {
    const auto sources = make_point_sources<double>(
        world(), make_similarity<double>(context.execution, SimilarityChoice(descriptor), set), set);
    std::vector<double> rows(chosen.size() * static_cast<std::size_t>(points));
    sources->to_all(chosen, MatrixView<double>(rows.data(), std::ssize(chosen), points));
    return rows;
  };
  for (const SimilarityDescriptor* descriptor : similarities()) {
    if (!compares_points(*descriptor) || !descriptor->traits.whole_rows) continue;
    SCOPED_TRACE(descriptor->name);
    EXPECT_LT(largest_difference(rows_of(*descriptor, forms.sparse), rows_of(*descriptor, forms.dense)), 1e-12);
  }
}

TEST(SparsePoints, AreSymmetricToTheLastBit) {
  const Context context;
  const Forms<float> forms;
  const auto linear = make_similarity<float>(context.execution, SimilarityChoice("linear"), forms.sparse);
  const auto all = forms.sparse.gather(world(), numbers(0, points));
  const std::vector<double> tile = tile_of(*linear, *all, *all);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(tile[i * points + j], tile[j * points + i]) << i << ", " << j;
  }
}

TEST(SparsePoints, HaveTheDigestOfDenseOnesInTheOtherForm) {
  const Forms<double> forms;
  EXPECT_EQ(digest_of_other_form(world(), forms.sparse), data_digest(world(), forms.dense));
  EXPECT_EQ(digest_of_other_form(world(), forms.dense), data_digest(world(), forms.sparse));
}

TEST(SparsePoints, ByColumnAreTheSameWhetherFewOrManyCoordinatesOccur) {
  // 3 entries of 400 coordinates are found by name, 3 of 4 by place.
  const std::vector<Index> starts = {0, 2, 2, 3}, columns = {1, 3, 1};
  const std::vector<double> values = {5, 6, 7};
  for (const Index all : {Index{4}, Index{400}, Index{1} << 40U}) {
    const EntriesByColumn<double> by_column(all, starts, columns.data(), values.data());
    const auto [rows, found] = by_column.column(1);
    EXPECT_EQ(std::vector<Index>(rows.begin(), rows.end()), (std::vector<Index>{0, 2}));
    EXPECT_EQ(std::vector<double>(found.begin(), found.end()), (std::vector<double>{5, 7}));
    EXPECT_EQ(by_column.column(3).values.front(), 6);
    EXPECT_TRUE(by_column.column(0).points.empty());
    EXPECT_TRUE(by_column.column(2).points.empty());
    EXPECT_TRUE(by_column.column(all - 1).points.size() == (all == 4 ? 1U : 0U));
  }
}

}  // namespace
}  // namespace cairn::test::sparse_points_test
