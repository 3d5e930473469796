#include "cairn/landmark/pivot_block.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "cairn/base/random.hpp"

namespace cairn::pivot_block_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A positive definite matrix of order b with known entries.
std::vector<double> positive_definite(std::size_t b) {
  const Random random(11, Stream::test);
  std::vector<double> root(b * b);
  for (std::size_t i = 0; i < b * b; ++i) root[i] = random.normal(i);
  std::vector<double> matrix(b * b, 0.0);
  for (std::size_t i = 0; i < b; ++i)
    for (std::size_t j = 0; j < b; ++j)
      for (std::size_t k = 0; k < b; ++k) matrix[i * b + j] += root[i * b + k] * root[j * b + k];
  return matrix;
}

TEST(TakePivots, FactorReproducesTheResidualAmongThoseTaken) {
  constexpr std::size_t b = 8;
  const std::vector<double> matrix = positive_definite(b);
  std::vector<double> residual = matrix;
  const std::vector<double> uniform{0.9, 0.9, 0.1, 0.9, 0.1, 0.05, 0.9, 0.1};
  const PivotBlock block = take_pivots(residual, uniform, std::vector<double>(b, 0.0), 100);
  const std::size_t m = block.taken.size();
  ASSERT_GE(m, 2u);
  ASSERT_LT(m, b) << "no proposal was refused: the test shows nothing";
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < m; ++k) product += block.factor[i * m + k] * block.factor[j * m + k];
      const auto row = static_cast<std::size_t>(block.taken[i]);
      const auto column = static_cast<std::size_t>(block.taken[j]);
      EXPECT_NEAR(product, matrix[row * b + column], 1e-12);
      if (j > i) EXPECT_EQ(block.factor[i * m + j], 0.0);
    }
  }
}

TEST(TakePivots, AProposalIsTakenWithTheShareOfItsResidualThatIsLeft) {
  // After the first pivot 1 - 0.5² = 0.75 of the second is left.
  for (const auto& [uniform, taken] : {std::pair(0.74, 2u), std::pair(0.76, 1u)}) {
    std::vector<double> residual{1.0, 0.5, 0.5, 1.0};
    const PivotBlock block = take_pivots(residual, std::vector{0.99, uniform}, std::vector{0.0, 0.0}, 100);
    EXPECT_EQ(block.taken.size(), taken);
  }
}

TEST(TakePivots, ARepeatedProposalIsRefused) {
  std::vector<double> residual{2.0, 2.0, 0.5, 2.0, 2.0, 0.5, 0.5, 0.5, 3.0};
  const PivotBlock block = take_pivots(residual, std::vector(3, 0.0), std::vector(3, 1e-13), 100);
  EXPECT_THAT(block.taken, ElementsAre(0, 2));
}

TEST(TakePivots, WhatIsLeftOfRoundingIsRefused) {
  std::vector<double> residual{1.0, 0.0, 0.0, 1e-15};
  EXPECT_THAT(take_pivots(residual, std::vector{0.0, 0.0}, std::vector{1e-13, 1e-13}, 100).taken, ElementsAre(0));
}

TEST(TakePivots, StopsWhenEnoughAreTaken) {
  std::vector<double> residual{1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 9.0};
  const PivotBlock block = take_pivots(residual, std::vector(3, 0.5), std::vector(3, 0.0), 2);
  EXPECT_THAT(block.taken, ElementsAre(0, 1));
  EXPECT_THAT(block.factor, ElementsAre(1.0, 0.0, 0.0, 2.0));
  std::vector<double> nothing;
  EXPECT_THAT(take_pivots(nothing, {}, {}, 2).taken, IsEmpty());
}

}  // namespace
}  // namespace cairn::pivot_block_test
