#include <gtest/gtest.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "replicated.hpp"

namespace cairn::products_test {
namespace {

using test::distributed;
using test::Replicated;
using test::replicated;

TEST(Multiply, AgreesWithThePlainLoopWithAndWithoutTransposes) {
  const auto grid = test::world_grid();
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      const Replicated a = test::random_matrix(130, 67, 41), b = test::random_matrix(67, 71, 42);
      const BlockCyclicMatrix c = multiply(distributed(grid, transpose_a ? transposed(a) : a), transpose_a,
                                           distributed(grid, transpose_b ? transposed(b) : b), transpose_b, 0.5);
      Replicated expected = product(a, b);
      for (double& value : expected.values) value *= 0.5;
      EXPECT_LE(largest_difference(replicated(c), expected), 1e-12) << transpose_a << transpose_b;
    }
}

TEST(Multiply, OverAnEmptyInnerDimensionIsZero) {
  const auto grid = test::world_grid();
  const BlockCyclicMatrix c = multiply(BlockCyclicMatrix(grid, 5, 0), false, BlockCyclicMatrix(grid, 0, 4), false);
  EXPECT_EQ(largest_difference(replicated(c), Replicated(5, 4)), 0.0);
}

TEST(Multiply, RefusesShapesThatDoNotFit) {
  const auto grid = test::world_grid();
  EXPECT_THROW(static_cast<void>(multiply(BlockCyclicMatrix(grid, 5, 3), false, BlockCyclicMatrix(grid, 4, 2), false)),
               Error);
}

TEST(Transpose, SwapsRowsAndColumns) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {65, 129}, {3, 200}, {4, 0}}) {
    const Replicated a = test::random_matrix(rows, columns, 43);
    EXPECT_EQ(largest_difference(replicated(transpose(distributed(test::world_grid(), a))), transposed(a)), 0.0);
  }
}

TEST(ScaleColumns, KeepsAndScalesTheChosenColumns) {
  const Replicated a = test::random_matrix(140, 300, 44);
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), a);
  for (const Index stride : {1, 2, 7, 299}) {
    std::vector<Index> keep;
    std::vector<double> scales;
    for (Index j = stride - 1; j < 300; j += stride) {
      keep.push_back(j);
      scales.push_back(static_cast<double>(j) - 10.0);
    }
    Replicated expected(140, static_cast<Index>(keep.size()));
    for (Index i = 0; i < 140; ++i)
      for (std::size_t t = 0; t < keep.size(); ++t) expected(i, static_cast<Index>(t)) = a(i, keep[t]) * scales[t];
    EXPECT_EQ(largest_difference(replicated(scale_columns(matrix, keep, scales)), expected), 0.0) << stride;
  }
  EXPECT_EQ(scale_columns(matrix, {}, {}).columns(), 0);
}

TEST(ScaleColumns, RefusesAColumnThatTheMatrixHasNot) {
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), test::random_matrix(4, 4, 45));
  EXPECT_THROW(static_cast<void>(scale_columns(matrix, {4}, {1.0})), Error);
}

TEST(Norms, AreThoseOfThePlainLoops) {
  Replicated a = test::random_matrix(130, 66, 46);
  a(129, 65) = -7.5;
  double squares = 0.0, widest = 0.0;
  for (Index j = 0; j < a.columns; ++j) {
    double sum = 0.0;
    for (Index i = 0; i < a.rows; ++i) sum += std::abs(a(i, j)), squares += a(i, j) * a(i, j);
    widest = std::max(widest, sum);
  }
  const BlockCyclicMatrix matrix = distributed(test::world_grid(), a);
  EXPECT_NEAR(one_norm(matrix), widest, 1e-12 * widest);
  EXPECT_NEAR(frobenius_norm(matrix), std::sqrt(squares), 1e-12 * std::sqrt(squares));
  EXPECT_EQ(largest_magnitude(matrix), 7.5);
}

TEST(Norms, DoNotOverflowAndAreZeroForNoEntries) {
  Replicated a = test::identity(4);
  for (double& value : a.values) value *= 1e200;
  EXPECT_NEAR(frobenius_norm(distributed(test::world_grid(), a)) / 2e200, 1.0, 1e-14);
  EXPECT_EQ(frobenius_norm(BlockCyclicMatrix(test::world_grid(), 3, 0)), 0.0);
  EXPECT_EQ(one_norm(BlockCyclicMatrix(test::world_grid(), 3, 0)), 0.0);
}

}  // namespace
}  // namespace cairn::products_test
