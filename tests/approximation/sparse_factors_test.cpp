#include <gmock/gmock.h>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/extend.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "method_run.hpp"

namespace cairn::sparse_factors_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::world;

constexpr Index n = 150, l = 37;

// About a fifth of the entries; row 0 is empty, row n - 1 full.
double factor_entry(Index i, Index k) {
  const bool kept = i == n - 1 || (i > 0 && (i * 7 + k * 3) % 5 == 0);
  return kept ? std::sin(static_cast<double>(3 * i + 7 * k + 1)) : 0.0;
}
// Whole numbers, so that every number type of a tile holds them.
double core_entry(Index a, Index b) { return static_cast<double>((std::max(a, b) * 13 + std::min(a, b) * 5) % 101); }

template <class T>
SparseRows<T> sparse_factor() {
  const RowPartition partition(n, world().size());
  const Range own = partition.range(world().rank());
  std::vector<Index> starts = {0}, indices;
  std::vector<T> values;
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < l; ++k) {
      if (factor_entry(i, k) == 0.0) continue;
      indices.push_back(k);
      values.push_back(static_cast<T>(factor_entry(i, k)));
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  return {partition, world().rank(), l, std::move(starts), std::move(indices), std::move(values)};
}

SymmetricTiles core_tiles(TileNumber number) {
  SymmetricTiles tiles(l, SymmetricTiles::default_order(l), number, world().size(), world().rank());
  for (Index tile = world().rank(); tile < tiles.tiles(); tile += world().size()) {
    const auto at = tiles.place(tile);
    std::vector<double> values;
    for (Index i = at.rows.begin; i < at.rows.end; ++i)
      for (Index j = at.columns.begin; j < at.columns.end; ++j) values.push_back(core_entry(i, j));
    tiles.store(tile, {values.data(), at.rows.size(), at.columns.size()});
  }
  return tiles;
}

template <class T>
Approximation<T> make(TileNumber number, Transform transform = Transform::none) {
  Approximation<T> approximation;
  approximation.left = sparse_factor<T>();
  approximation.core_matrix = TiledCore{core_tiles(number)};
  approximation.transform = transform;
  return approximation;
}

Dense brute_force(Transform transform = Transform::none) {
  const Dense factor = dense(n, l, factor_entry);
  Dense result = test::product(test::product(factor, dense(l, l, core_entry)), test::transposed(factor));
  if (transform == Transform::sqrt) {
    for (double& value : result.values) value = std::sqrt(std::max(0.0, value));
  }
  return result;
}

template <class T>
void expect_entries(const Approximation<T>& approximation, const std::vector<Index>& rows,
                    const std::vector<Index>& columns, const Dense& expected, double tolerance) {
  Context context;
  const std::vector<double> values = approximate_entries(context.execution, approximation, rows, columns);
  ASSERT_EQ(values.size(), rows.size());
  for (std::size_t e = 0; e < values.size(); ++e) {
    EXPECT_NEAR(values[e], expected(rows[e], columns[e]), tolerance) << rows[e] << ' ' << columns[e];
  }
}

class SparseFactors : public testing::TestWithParam<TileNumber> {};
INSTANTIATE_TEST_SUITE_P(Numbers, SparseFactors,
                         testing::Values(TileNumber::uint16, TileNumber::uint32, TileNumber::float32,
                                         TileNumber::float64));

TEST_P(SparseFactors, GiveTheColumnsOfTheProduct) {
  Context context;
  EXPECT_LT(test::difference(test::reconstruct(context.execution, make<double>(GetParam())), brute_force()), 1e-14);
  EXPECT_LT(test::difference(test::reconstruct(context.execution, make<float>(GetParam())), brute_force()), 1e-6);
}

// Random pairs, another number of them on every rank, none on rank 1: by pair.
TEST_P(SparseFactors, GiveScatteredEntriesOfTheProduct) {
  std::vector<Index> rows, columns;
  const Random random(5, Stream::test);
  for (Index e = 0; world().rank() != 1 && e < 30 + 5 * world().rank(); ++e) {
    rows.push_back(random.below(n, static_cast<std::uint64_t>(e)));
    columns.push_back(random.below(n, static_cast<std::uint64_t>(e), 1));
  }
  expect_entries(make<double>(GetParam()), rows, columns, brute_force(), 1e-10);
  expect_entries(make<float>(GetParam()), rows, columns, brute_force(), 1e-2);
}

// Whole rows, or whole columns, of K~: few sources.
TEST_P(SparseFactors, GiveRowsOfTheProductAsEntries) {
  std::vector<Index> few, all;
  for (Index j = world().rank(); j < n; ++j) {
    few.push_back(j % 3 == 0 ? 0 : 140 - j % 3);
    all.push_back(j);
  }
  expect_entries(make<double>(GetParam()), few, all, brute_force(), 1e-10);
  expect_entries(make<double>(GetParam()), all, few, brute_force(), 1e-10);
}

TEST(SparseFactorsOfSquares, GiveTheRoots) {
  const Approximation<double> approximation = make<double>(TileNumber::uint32, Transform::sqrt);
  const Dense expected = brute_force(Transform::sqrt);
  Context context;
  EXPECT_LT(test::difference(test::reconstruct(context.execution, approximation), expected), 1e-8);
  expect_entries(approximation, {3, 3, 149, 77}, {3, 149, 0, 78}, expected, 1e-6);
}

TEST(ReplicateRows, KeepsTheOrderThatIsAskedFor) {
  const SparseRows<double> factor = sparse_factor<double>();
  const std::vector<Index> ids = {149, 0, 3, 149, 70};
  const SparseVectors rows = replicate_rows(world(), factor, ids);
  ASSERT_EQ(rows.count(), 5);
  for (std::size_t r = 0; r < ids.size(); ++r) {
    std::vector<double> row(l, 0.0);
    for (auto e = static_cast<std::size_t>(rows.starts[r]); e < static_cast<std::size_t>(rows.starts[r + 1]); ++e)
      row[rows.indices[e]] = rows.values[e];
    for (Index k = 0; k < l; ++k) EXPECT_EQ(row[k], factor_entry(ids[r], k));
  }
}

TEST(Factor, TellsDenseFromSparse) {
  const Factor<double> sparse = sparse_factor<double>();
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_EQ(sparse.rows(), n);
  EXPECT_EQ(sparse.columns(), l);
  EXPECT_THROW((void)sparse.dense(), Error);
  const Factor<double> tall = RowBlock<double>(RowPartition(n, world().size()), world().rank(), 3);
  EXPECT_FALSE(tall.is_sparse());
  EXPECT_EQ(tall.columns(), 3);
  EXPECT_EQ(tall.range(), sparse.range());
  EXPECT_THROW((void)tall.sparse(), Error);
}

TEST(Factor, IsRefusedUnderACoreMatrixOfTheOtherKind) {
  Context context;
  const std::vector<Index> columns = {0};
  Approximation<double> without_tiles = make<double>(TileNumber::uint16);
  without_tiles.core_matrix = IdentityCore{l};
  EXPECT_THROW((void)approximate_columns(context.execution, without_tiles, columns), Error);
  EXPECT_THROW((void)approximate_entries(context.execution, without_tiles, columns, columns), Error);
  Approximation<double> dense_factor = make<double>(TileNumber::uint16);
  dense_factor.left = RowBlock<double>(RowPartition(n, world().size()), world().rank(), l);
  EXPECT_THROW((void)approximate_columns(context.execution, dense_factor, columns), Error);
  EXPECT_THROW((void)approximate_entries(context.execution, dense_factor, columns, columns), Error);
}

TEST(Factor, ThatIsInterpolatedCannotBeExtended) {
  Context context;
  const test::FunctionSimilarity<double> similarity(core_entry);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  try {
    (void)extend_factor(context.execution, similarity, objects, FactorOrigin{{1, 2}, nullptr, nullptr});
    FAIL() << "an interpolated factor was extended";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("interpolated"));
  }
}

}  // namespace
}  // namespace cairn::sparse_factors_test
