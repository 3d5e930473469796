#include <gtest/gtest.h>

#include <cmath>

#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/small_on_root.hpp"
#include "replicated.hpp"

namespace cairn::factorization_test {
namespace {

using test::Replicated;
using test::replicated;

using Solver = SingularValues (*)(BlockCyclicMatrix);

class SingularSolvers : public testing::TestWithParam<Solver> {
 protected:
  static void expect_decomposition(const Replicated& a, const SingularValues& svd) {
    const Replicated u = replicated(svd.left), v = replicated(svd.right);
    const Index r = std::min(a.rows, a.columns);
    EXPECT_EQ(static_cast<Index>(svd.values.size()), r);
    EXPECT_LE(largest_difference(product(with_scaled_columns(u, svd.values), transposed(v)), a), 1e-11);
    EXPECT_LE(largest_difference(product(transposed(u), u), test::identity(r)), 1e-12);
    EXPECT_LE(largest_difference(product(transposed(v), v), test::identity(r)), 1e-12);
    EXPECT_TRUE(std::ranges::is_sorted(svd.values, std::greater<>()));
    EXPECT_GE(svd.values.back(), 0.0);
  }
};

INSTANTIATE_TEST_SUITE_P(Both, SingularSolvers,
                         testing::Values(&detail::singular_values_on_root, &detail::singular_values_on_grid,
                                         &singular_value_decomposition));

TEST_P(SingularSolvers, DecomposeRectanglesBothWays) {
  const std::vector<std::pair<Index, Index>> shapes = {{1, 1},    {1, 5},    {5, 1},    {64, 64},
                                                       {65, 129}, {129, 65}, {200, 40}, {40, 200}};
  for (const auto& [rows, columns] : shapes) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const Replicated a = test::random_matrix(rows, columns, 31);
    expect_decomposition(a, GetParam()(distributed(test::world_grid(), a)));
  }
}

TEST_P(SingularSolvers, ShowTheRankOfADeficientMatrix) {
  const Replicated a = product(test::random_matrix(120, 10, 32), test::random_matrix(10, 90, 33));
  const SingularValues svd = GetParam()(distributed(test::world_grid(), a));
  expect_decomposition(a, svd);
  EXPECT_GT(svd.values[9], 1.0);
  EXPECT_LE(svd.values[10], 1e-12 * svd.values[0]);
}

TEST(SingularValueDecomposition, OfAMatrixWithoutColumnsIsEmpty) {
  const SingularValues svd = singular_value_decomposition(BlockCyclicMatrix(test::world_grid(), 7, 0));
  EXPECT_TRUE(svd.values.empty());
  EXPECT_EQ(svd.left.rows(), 7);
  EXPECT_EQ(svd.right.rows(), 0);
}

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrix) {
  for (const Index n : {1, 3, 64, 65, 150}) {
    const Replicated a = test::random_gram(n, n, 1.0, 34);
    BlockCyclicMatrix factor = distributed(test::world_grid(), a);
    ASSERT_TRUE(cholesky(factor)) << n;
    const Replicated lower = replicated(factor);
    EXPECT_LE(largest_difference(product(lower, transposed(lower)), a), 1e-11) << n;
    double above = 0.0;
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) above = std::max(above, std::abs(lower(i, j)));
    EXPECT_EQ(above, 0.0);
  }
}

TEST(Cholesky, SolvesForRightHandSides) {
  for (const Index n : {1, 64, 150}) {
    const Replicated a = test::random_gram(n, n, 1.0, 34), x = test::random_gram(n, 7, 1.0, 36);
    const auto grid = test::world_grid();
    BlockCyclicMatrix factor = distributed(grid, a), solution = distributed(grid, product(a, x));
    ASSERT_TRUE(cholesky(factor)) << n;
    cholesky_solve(factor, solution);
    EXPECT_LE(largest_difference(product(a, replicated(solution)), product(a, x)), 1e-9) << n;
  }
}

TEST(Cholesky, ItsFactorIsSolvedForBothWays) {
  for (const Index n : {1, 64, 150}) {
    const Replicated a = test::random_gram(n, n, 1.0, 34), x = test::random_matrix(n, 7, 37);
    const auto grid = test::world_grid();
    BlockCyclicMatrix factor = distributed(grid, a);
    ASSERT_TRUE(cholesky(factor)) << n;
    const Replicated lower = replicated(factor);
    BlockCyclicMatrix solution = distributed(grid, x);
    solve_lower(factor, false, solution);
    EXPECT_LE(largest_difference(product(lower, replicated(solution)), x), 1e-10) << n;
    solution = distributed(grid, x);
    solve_lower(factor, true, solution);
    EXPECT_LE(largest_difference(product(transposed(lower), replicated(solution)), x), 1e-10) << n;
  }
}

// The entries of a triangle of `matrix` that begins at `first_column`, and 0.
Replicated triangle_in(const Replicated& matrix, Index n, bool upper, Index first_column) {
  Replicated part(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) part(i, j) = (upper ? i <= j : i >= j) ? matrix(i, first_column + j) : 0.0;
  }
  return part;
}

TEST(Cholesky, ItsFactorHasAGramMatrix) {
  for (const Index n : {1, 3, 64, 65, 150}) {
    BlockCyclicMatrix factor = distributed(test::world_grid(), test::random_gram(n, n, 1.0, 38));
    ASSERT_TRUE(cholesky(factor)) << n;
    const Replicated lower = replicated(factor);
    multiply_by_transpose(factor);
    const Replicated expected = triangle_in(product(transposed(lower), lower), n, false, 0);
    EXPECT_LE(largest_difference(replicated(factor), expected), 1e-11) << n;
  }
}

TEST(Cholesky, TwoFactorsShareAMatrix) {
  constexpr Index shift = BlockCyclicMatrix::block;
  const auto grid = test::world_grid();
  for (const Index n : {1, 3, 64, 65, 150, 257}) {
    const Replicated a = test::random_gram(n, n, 1.0, 39);
    BlockCyclicMatrix both(grid, n, n + shift);
    both.fill([&](Index i, Index j) { return j < n ? a(i, j) : NAN; });
    ASSERT_TRUE(cholesky(both)) << n;
    const Replicated lower = triangle_in(replicated(both), n, false, 0);
    EXPECT_LE(largest_difference(product(lower, transposed(lower)), a), 1e-10) << n;

    copy_transpose_of_lower(both, both, shift);
    const TrianglePlace upper{.upper = true, .first_column = shift};
    multiply_by_transpose(both, upper);
    const Replicated gram = product(transposed(lower), lower);
    EXPECT_LE(largest_difference(triangle_in(replicated(both), n, true, shift), triangle_in(gram, n, true, 0)), 1e-10)
        << n;
    ASSERT_TRUE(cholesky(both, upper)) << n;
    EXPECT_EQ(largest_difference(triangle_in(replicated(both), n, false, 0), lower), 0.0) << n;

    const Replicated x = test::random_matrix(n, 3, 40);
    BlockCyclicMatrix solution = distributed(grid, x);
    cholesky_solve(both, solution, upper);
    EXPECT_LE(largest_difference(product(gram, replicated(solution)), x), 1e-8) << n;
  }
}

TEST(Cholesky, FailsOnAllRanksWhereAPivotIsNegative) {
  for (const Index bad : {0, 63, 64, 149}) {
    Replicated a = test::random_gram(150, 150, 1.0, 35);
    a(bad, bad) = -1.0;
    BlockCyclicMatrix factor = distributed(test::world_grid(), a);
    EXPECT_FALSE(cholesky(factor)) << "pivot " << bad;
  }
}

TEST(Cholesky, OfTheEmptyMatrixIsEmpty) {
  BlockCyclicMatrix empty(test::world_grid(), 0, 0);
  EXPECT_TRUE(cholesky(empty));
  multiply_by_transpose(empty);
  copy_transpose_of_lower(empty, empty, 0);
}

}  // namespace
}  // namespace cairn::factorization_test
