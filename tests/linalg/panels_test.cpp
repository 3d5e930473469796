// Matrices of more than 64 MB, which are replicated in panels and moved in several rounds.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "replicated.hpp"

namespace cairn::panels_test {
namespace {

using test::world;

constexpr Index size = 2950;

/// A small factor with a band below the diagonal: products with it can be written down.
double band(Index i, Index j) { return i == j ? 2.0 : (i - j == 1 || i - j == 300) ? 0.5 : 0.0; }

RowBlock<double> ramp() {
  RowBlock<double> tall(RowPartition(40, world().size()), world().rank(), size);
  for (Index i = tall.range().begin; i < tall.range().end; ++i)
    for (Index j = 0; j < size; ++j) tall.row(i)[j] = std::sin(static_cast<double>(i * size + j));
  return tall;
}

/// Row times Bᵀ, B the band.
double times_band(std::span<const double> row, Index j) {
  const auto at = [&](Index k) { return k < 0 ? 0.0 : row[k]; };
  return 2.0 * at(j) + 0.5 * (at(j - 1) + at(j - 300));
}

double largest_error(const RowBlock<double>& result, auto expected) {
  double largest = 0.0;
  for (Index i = result.range().begin; i < result.range().end; ++i)
    for (Index j = 0; j < result.columns(); ++j)
      largest = std::max(largest, std::abs(result.row(i)[j] - expected(i, j)));
  return world().maximum(largest);
}

TEST(Panels, GiveTheProductAndItsInverse) {
  BlockCyclicMatrix factor(test::world_grid(), size, size);
  factor.fill(band);
  const RowBlock<double> tall = ramp();
  RowBlock<double> result = multiply_tall(tall, transpose(factor), 1);
  EXPECT_LE(largest_error(result, [&](Index i, Index j) { return times_band(tall.row(i), j); }), 1e-13);
  solve_tall_in_place(result, factor, 1);
  EXPECT_LE(largest_error(result, [&](Index i, Index j) { return tall.row(i)[j]; }), 1e-13);
}

TEST(Panels, GiveTheGramMatrix) {
  RowBlock<double> tall(RowPartition(3, world().size()), world().rank(), size);
  const auto value = [](Index i, Index j) { return static_cast<double>((i + 1) * j % 17); };
  for (Index i = tall.range().begin; i < tall.range().end; ++i)
    for (Index j = 0; j < size; ++j) tall.row(i)[j] = value(i, j);
  const BlockCyclicMatrix result = gram(test::world_grid(), tall, tall, 1);
  Index wrong = 0;
  for (Index j = 0; j < result.local_columns(); ++j)
    for (Index i = 0; i < result.local_rows(); ++i) {
      double expected = 0.0;
      for (Index t = 0; t < 3; ++t) expected += value(t, result.global_row(i)) * value(t, result.global_column(j));
      wrong += result.local(i, j) != expected;
    }
  EXPECT_EQ(world().sum(wrong), 0);
}

// Wide enough that the rows of a rank go out in several rounds.
TEST(LargeMatrices, MoveInSeveralRoundsUnchanged) {
  constexpr Index rows = 60, columns = 600000;
  const auto value = [](Index i, Index j) { return static_cast<double>(i * columns + j); };
  RowBlock<double> tall(RowPartition(rows, world().size()), world().rank(), columns);
  for (Index i = tall.range().begin; i < tall.range().end; ++i)
    for (Index j = 0; j < columns; ++j) tall.row(i)[j] = value(i, j);
  const BlockCyclicMatrix cyclic = to_block_cyclic(test::world_grid(), tall);
  Index wrong = 0;
  for (Index j = 0; j < cyclic.local_columns(); ++j)
    for (Index i = 0; i < cyclic.local_rows(); ++i)
      wrong += cyclic.local(i, j) != value(cyclic.global_row(i), cyclic.global_column(j));
  const auto back = to_row_block<double>(cyclic, tall.partition());
  for (Index i = tall.range().begin; i < tall.range().end; ++i) wrong += !std::ranges::equal(back.row(i), tall.row(i));
  EXPECT_EQ(world().sum(wrong), 0);
}

}  // namespace
}  // namespace cairn::panels_test
