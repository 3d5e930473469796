// The error among new objects, and that of the best constant beside an error from weighted pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cairn/approximation/error/probe.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::unseen_error_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::world;

NumberedObjects numbered(Index n) { return {RowPartition(n, world().size()), world().rank()}; }

// L Lᵀ with L(i, c) = factor(i, c).
Approximation<double> low_rank(Index n, Index columns, const EntryFunction& factor) {
  Approximation<double> approximation;
  approximation.left = RowBlock<double>(RowPartition(n, world().size()), world().rank(), columns);
  for (Index i = approximation.left.range().begin; i < approximation.left.range().end; ++i) {
    for (Index c = 0; c < columns; ++c) {
      approximation.left.dense().row(i)[c] = factor(i, c);
    }
  }
  approximation.core_matrix = IdentityCore{columns};
  return approximation;
}

TEST(ConstantError, IsKnownWhateverTheWeightsOfPairs) {
  // K is about 1, and its diagonal exact for half of the objects: pairs by residual have other weights than uniform
  // ones.
  constexpr Index n = 300;
  const auto entry = [](Index i, Index j) { return 1.0 + 0.01 * std::sin(static_cast<double>(i + j)); };
  const FunctionSimilarity<double> similarity(entry);
  const auto approximation = low_rank(n, 1, [&](Index i, Index) { return std::sqrt(i % 2 == 0 ? entry(i, i) : 0.5); });
  double sum = 0.0, reference = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      sum += entry(i, j);
      reference += entry(i, j) * entry(i, j);
    }
  }
  const double truth = std::sqrt(1.0 - sum * sum / (n * n * reference));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::Context context(world(), seed);
    const ErrorEstimate estimate =
        probe_error<double>(context.execution, approximation, similarity, numbered(n), {.count = 200});
    EXPECT_NEAR(estimate.constant_error, truth, 4.0 * estimate.constant_error_standard_error) << seed;
    EXPECT_LT(estimate.constant_error_standard_error, 0.2 * truth) << seed;
    EXPECT_GT(estimate.constant_error_standard_error, 0.0) << seed;
  }
}

TEST(UnseenError, CountsTheDiagonalAsInTheOldMatrixHoweverFewTheyAre) {
  // K~ = 0.27; K_ii = 1, and K_ij about 0.3, so that K~ - K varies by 14 % between pairs.
  constexpr Index old = 400;
  const auto off_diagonal = [](Index i, Index j) {
    return 0.3 + 0.006 * std::sin(static_cast<double>((i + 1) * (j + 1)));
  };
  const FunctionSimilarity<double> similarity([&](Index i, Index j) { return i == j ? 1.0 : off_diagonal(i, j); });
  const double truth = std::sqrt((0.73 * 0.73 + (old - 1) * (0.03 * 0.03 + 0.006 * 0.006 / 2)) /
                                 (1.0 + (old - 1) * (0.3 * 0.3 + 0.006 * 0.006 / 2)));
  for (const Index n : {4, 5, 10, 60, 1500}) {
    const auto approximation = low_rank(n, 1, [](Index, Index) { return std::sqrt(0.27); });
    test::Context context;
    const auto estimate = unseen_error<double>(context.execution, approximation, similarity, numbered(n), old, 500);
    const Index pairs = std::min<Index>(500, n * (n - 1) / 2), m = std::min<Index>(n, 1000);
    EXPECT_EQ(std::tuple(estimate.pairs, estimate.diagonal, estimate.evaluations), std::tuple(pairs, m, pairs + m));
    EXPECT_NEAR(estimate.relative_error, truth, 0.1 * truth) << n;
    EXPECT_NEAR(estimate.relative_error, truth, 4.0 * estimate.relative_error_standard_error) << n;
  }
  const auto three = low_rank(3, 1, [](Index, Index) { return 1.0; });
  test::Context context;
  EXPECT_THROW(static_cast<void>(unseen_error<double>(context.execution, three, similarity, numbered(3), old, 500)),
               Error);
}

TEST(UnseenError, KnowsHowMuchTheErrorVariesBetweenObjects) {
  // K~ - K = a_i a_j with a_i of either of two sizes: of ten objects drawn, how many are large varies.
  const auto size = [](Index i) {
    return Random(3, Stream::test).below(2, static_cast<std::uint64_t>(i), 0) == 0 ? 0.1 : 0.5;
  };
  int covered = 0;
  double sum = 0.0, squares = 0.0, standard_errors = 0.0;
  constexpr int runs = 200;
  const double truth = (0.1 * 0.1 + 0.5 * 0.5) / 2;  // of the error's square root, over pairs; K = 1
  for (int run = 0; run < runs; ++run) {
    const FunctionSimilarity<double> similarity([](Index, Index) { return 1.0; });
    const auto approximation = low_rank(10, 2, [&](Index i, Index c) { return c == 0 ? 1.0 : size(10 * run + i); });
    test::Context context;
    const auto estimate =
        unseen_error<double>(context.execution, approximation, similarity, numbered(10), 1'000'000, 100);
    sum += estimate.relative_error;
    squares += estimate.relative_error * estimate.relative_error;
    standard_errors += estimate.relative_error_standard_error / runs;
    covered += std::abs(estimate.relative_error - truth) <= 2.0 * estimate.relative_error_standard_error ? 1 : 0;
  }
  EXPECT_GE(covered, runs * 9 / 10);
  const double spread = std::sqrt(squares / runs - sum / runs * (sum / runs));
  EXPECT_GE(standard_errors, 0.8 * spread);
  EXPECT_LE(standard_errors, 2.0 * spread);
}

}  // namespace
}  // namespace cairn::unseen_error_test
