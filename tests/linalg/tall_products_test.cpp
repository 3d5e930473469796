#include <gtest/gtest.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/tall/tall_views.hpp"
#include "replicated.hpp"

namespace cairn::tall_products_test {
namespace {

using test::distributed;
using test::Replicated;
using test::replicated;
using test::tall_matrix;
using test::world;

template <class T>
class TallProducts : public testing::Test {
 protected:
  /// Of sums of some hundred numbers of size one.
  static constexpr double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(TallProducts, Numbers);

TYPED_TEST(TallProducts, TallTimesSmallIsThePlainProduct) {
  for (const auto& [rows, inner, columns] :
       {std::tuple<Index, Index, Index>{500, 65, 130}, {2, 3, 5}, {100, 70, 1}, {50, 0, 4}, {50, 4, 0}, {1, 1, 1}}) {
    const Replicated c = test::random_matrix(rows, inner, 51), a = test::random_matrix(inner, columns, 52);
    const auto result = multiply_tall(tall_matrix<TypeParam>(c), distributed(test::world_grid(), a), 1);
    EXPECT_LE(largest_difference(replicated(result), product(c, a)), this->tolerance)
        << rows << " x " << inner << " x " << columns;
  }
}

TYPED_TEST(TallProducts, SolvingUndoesTheProductWithTheTransposedFactor) {
  const auto grid = test::world_grid();
  for (const Index k : {1, 5, 65, 130}) {
    BlockCyclicMatrix factor = distributed(grid, test::random_gram(k, k, 2.0 * static_cast<double>(k), 53));
    ASSERT_TRUE(cholesky(factor));
    const Replicated x = test::random_matrix(300, k, 54);
    auto tall = tall_matrix<TypeParam>(product(x, transposed(replicated(factor))));
    solve_tall_in_place(tall, factor, 1);
    EXPECT_LE(largest_difference(replicated(tall), x), this->tolerance) << k;
  }
}

TYPED_TEST(TallProducts, GramIsThePlainProductOfColumns) {
  for (const auto& [rows, p, q] :
       {std::tuple<Index, Index, Index>{500, 65, 130}, {2, 5, 3}, {100, 1, 70}, {40, 0, 3}, {0, 3, 4}}) {
    const Replicated left = test::random_matrix(rows, p, 55), right = test::random_matrix(rows, q, 56);
    const BlockCyclicMatrix result =
        gram(test::world_grid(), tall_matrix<TypeParam>(left), tall_matrix<TypeParam>(right), 1);
    EXPECT_LE(largest_difference(replicated(result), product(transposed(left), right)), this->tolerance)
        << rows << ", " << p << ", " << q;
  }
}

TYPED_TEST(TallProducts, ShapesThatDoNotFitAreRefused) {
  auto tall = tall_matrix<TypeParam>(test::random_matrix(10, 3, 57));
  const BlockCyclicMatrix small = distributed(test::world_grid(), test::identity(4));
  EXPECT_THROW(static_cast<void>(multiply_tall(tall, small, 1)), Error);
  EXPECT_THROW(solve_tall_in_place(tall, small, 1), Error);
}

// More than one row per call of BLAS, and a sum that single precision alone would not hold: 1 + 2^-12 + ... adds up to
// more digits than a float has.
TEST(GramInSinglePrecision, KeepsDigitsOverManyRows) {
  constexpr Index rows = 200000;
  RowBlock<float> tall(RowPartition(rows, world().size()), world().rank(), 1);
  for (Index i = tall.range().begin; i < tall.range().end; ++i) tall.row(i)[0] = 1.0F + static_cast<float>(i % 7) / 64;
  double expected = 0.0;
  for (Index i = 0; i < rows; ++i) expected += std::pow(1.0 + static_cast<double>(i % 7) / 64, 2);
  const Replicated result = replicated(gram(test::world_grid(), tall, tall, 1));
  EXPECT_NEAR(result(0, 0) / expected, 1.0, 1e-6);
}

TEST(BlasThreads, AreThoseOfTheScopeAndThenThoseBefore) {
  set_blas_threads(1);
  {
    const BlasThreads scope(2);
    const Replicated c = test::random_matrix(300, 40, 58), a = test::random_matrix(40, 30, 59);
    const auto result = multiply_tall(tall_matrix<double>(c), distributed(test::world_grid(), a), 2);
    EXPECT_LE(largest_difference(replicated(result), product(c, a)), 1e-12);
  }
}

// CᵀD by way of the block-cyclic layout is CᵀD by way of local products.
TEST(Layouts, AgreeOnTheGramMatrix) {
  const auto grid = test::world_grid();
  const auto c = tall_matrix<double>(test::random_matrix(190, 70, 60));
  const auto d = tall_matrix<double>(test::random_matrix(190, 66, 61));
  const BlockCyclicMatrix in_grid = multiply(to_block_cyclic(grid, c), true, to_block_cyclic(grid, d), false);
  EXPECT_LE(largest_difference(replicated(gram(grid, c, d, 1)), replicated(in_grid)), 1e-12);
  const BlockCyclicMatrix back = multiply(to_block_cyclic(grid, c), false, in_grid, false);
  EXPECT_LE(largest_difference(replicated(multiply_tall(c, in_grid, 1)), replicated(back)), 1e-10);
}

// Any number of rows on a rank, none on rank 1, and columns between those of a wider matrix.
TYPED_TEST(TallProducts, TakeRowsThatNoPartitionDealt) {
  constexpr Index wide = 40, p = 17, q = 6;
  std::vector<Index> counts;
  Index first = 0, total = 0;
  for (int r = 0; r < world().size(); ++r) counts.push_back(r == 1 ? 0 : 30 + 5 * r);
  for (int r = 0; r < world().rank(); ++r) first += counts[r];
  for (const Index count : counts) total += count;
  const Index own = counts[world().rank()];
  const Replicated all = test::random_matrix(total, wide, 61), a = test::random_matrix(p, q, 62);
  std::vector<TypeParam> values, products(static_cast<std::size_t>(own * q) + 1);
  for (Index i = first; i < first + own; ++i)
    for (Index j = 0; j < wide; ++j) values.push_back(static_cast<TypeParam>(all(i, j)));
  values.emplace_back();
  const MatrixView<const TypeParam> tall(values.data() + 3, own, p, wide);
  Replicated c(total, p);
  for (Index i = 0; i < total; ++i)
    for (Index k = 0; k < p; ++k) c(i, k) = all(i, k + 3);
  multiply_tall(tall, distributed(test::world_grid(), a), MatrixView<TypeParam>(products.data(), own, q), 1);
  const Replicated expected = product(c, a);
  for (Index i = 0; i < own; ++i)
    for (Index t = 0; t < q; ++t) EXPECT_NEAR(products[i * q + t], expected(first + i, t), this->tolerance);
  EXPECT_LE(largest_difference(replicated(gram(test::world_grid(), tall, tall, 1)), product(transposed(c), c)),
            this->tolerance);
}

}  // namespace
}  // namespace cairn::tall_products_test
