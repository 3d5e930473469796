#include "cairn/task/regression/regression_score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cairn/base/mpi/row_partition.hpp"
#include "test_communicator.hpp"

namespace cairn::regression_score_test {
namespace {

using test::world;

constexpr Index n = 90;

double target(Index i) { return std::cos(0.13 * static_cast<double>(i)); }

TEST(RegressionScores, AreThoseOfTheFormulas) {
  const Range own = RowPartition(n, world().size()).range(world().rank());
  std::vector<double> predictions, targets;
  double squares = 0.0, magnitudes = 0.0, deviations = 0.0, mean = 0.0;
  for (Index i = 0; i < n; ++i) mean += target(i) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    const double missed = 0.1 * static_cast<double>(i % 7) - 0.2;
    squares += missed * missed;
    magnitudes += std::abs(missed);
    deviations += std::pow(target(i) - mean, 2);
    if (!own.contains(i)) continue;
    predictions.insert(predictions.end(), {target(i) + missed, 1.0});
    targets.insert(targets.end(), {target(i), 3.0});
  }
  const std::vector<RegressionScore> scores = score(world(), predictions, targets, 2);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].rows, n);
  EXPECT_NEAR(scores[0].root_mean_squared_error(), std::sqrt(squares / n), 1e-12);
  EXPECT_NEAR(scores[0].mean_absolute_error(), magnitudes / n, 1e-12);
  EXPECT_NEAR(scores[0].r_squared().value(), 1.0 - squares / deviations, 1e-12);
  EXPECT_NEAR(scores[1].root_mean_squared_error(), 2.0, 1e-12);
  EXPECT_FALSE(scores[1].r_squared());
}

TEST(RegressionScores, OfLambdasThatAreAlikeChooseTheLargest) {
  const std::vector<double> lambdas = {0.1, 10.0, 1.0};
  EXPECT_EQ(best_lambda(lambdas, std::vector{0.5, 0.5 * (1.0 + 1e-8), 0.5 * (1.0 - 1e-8)}), 1U);
  EXPECT_EQ(best_lambda(lambdas, std::vector{0.4, 0.5, 0.4 * (1.0 + 1e-8)}), 2U);
  EXPECT_EQ(best_lambda(lambdas, std::vector{0.39, 0.5, 0.4}), 0U);
  EXPECT_EQ(best_lambda(lambdas, std::vector<double>{INFINITY, INFINITY, 3.0}), 2U);
}

TEST(RegressionScores, MissTheShareOfTheVariation) {
  const RegressionScore half{.rows = 4, .squared_error = 3.0, .squared_deviation = 6.0},
      constant{.rows = 4, .squared_error = 0.25};
  EXPECT_EQ(missed_share(std::vector{half, half}), 1.0);
  EXPECT_EQ(missed_share(std::vector{half, constant}), 0.75);  // of a constant target the error itself
  EXPECT_EQ(missed_share({}), INFINITY);
}

}  // namespace
}  // namespace cairn::regression_score_test
