#include "cairn/linalg/lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cairn::lbfgs_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Bounds wide(std::size_t size) { return {std::vector<double>(size, -1e3), std::vector<double>(size, 1e3)}; }

double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
  gradient[0] = -2.0 * a - 400.0 * x[0] * b;
  gradient[1] = 200.0 * b;
  return a * a + 100.0 * b * b;
}

// Σ (i + 1) (x_i - i)²
double bowl(std::span<const double> x, std::span<double> gradient) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = static_cast<double>(i + 1), away = x[i] - static_cast<double>(i);
    gradient[i] = 2.0 * weight * away;
    sum += weight * away * away;
  }
  return sum;
}

TEST(Lbfgs, FindsTheMinimumOfAQuadraticFunction) {
  const Minimum found = minimize(bowl, std::vector<double>(8, 30.0), wide(8));
  EXPECT_TRUE(found.converged);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found.at[i], static_cast<double>(i), 1e-5);
  EXPECT_LT(found.iterations, 30);
}

TEST(Lbfgs, FollowsACurvedValley) {
  const Minimum found = minimize(rosenbrock, {-1.2, 1.0}, wide(2), {.tolerance = 1e-9});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.at[0], 1.0, 1e-7);
  EXPECT_NEAR(found.at[1], 1.0, 1e-7);
  EXPECT_LT(found.evaluations, 120);
}

TEST(Lbfgs, StaysWithinBounds) {
  // The minimum of the valley where x <= 1/2 is (1/2, 1/4).
  const Objective watched = [](std::span<const double> x, std::span<double> gradient) {
    EXPECT_LE(x[0], 0.5);
    EXPECT_GE(x[1], -2.0);
    return rosenbrock(x, gradient);
  };
  const Minimum valley = minimize(watched, {-1.2, 1.0}, {{-3.0, -2.0}, {0.5, 3.0}}, {.tolerance = 1e-9});
  EXPECT_TRUE(valley.converged);
  EXPECT_EQ(valley.at[0], 0.5);
  EXPECT_NEAR(valley.at[1], 0.25, 1e-7);
  // Several bounds at once, from a start outside of them; number 2 is free.
  const Minimum box = minimize(bowl, {9.0, -9.0, 9.0, 9.0}, {{1.0, -2.0, 0.0, 4.0}, {2.0, -1.0, 8.0, 5.0}});
  EXPECT_TRUE(box.converged);
  EXPECT_EQ(box.at[0], 1.0);
  EXPECT_EQ(box.at[1], -1.0);
  EXPECT_NEAR(box.at[2], 2.0, 1e-6);
  EXPECT_EQ(box.at[3], 4.0);
}

TEST(Lbfgs, LeavesABoundAgain) {
  // It begins at the upper bound of both numbers, where the first step may not go further.
  const Minimum found = minimize(rosenbrock, {2.0, 2.0}, {{-2.0, -2.0}, {2.0, 2.0}}, {.tolerance = 1e-9});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.at[0], 1.0, 1e-6);
  EXPECT_NEAR(found.at[1], 1.0, 1e-6);
}

TEST(Lbfgs, TurnsBackWhereTheFunctionIsNotDefined) {
  const auto barrier = [](double undefined) {
    return [=](std::span<const double> x, std::span<double> gradient) {
      if (x[0] <= 0.0) return undefined;
      gradient[0] = 1.0 - 0.01 / x[0];
      return x[0] - 0.01 * std::log(x[0]);
    };
  };
  for (const double undefined : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Minimum found = minimize(barrier(undefined), {5.0}, wide(1));
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.at[0], 0.01, 1e-6);
  }
  const Minimum nowhere = minimize(barrier(infinity), {-1.0}, wide(1));
  EXPECT_FALSE(nowhere.converged);
  EXPECT_EQ(nowhere.value, infinity);
  EXPECT_EQ(nowhere.evaluations, 1);
}

TEST(Lbfgs, SaysThatItStoppedEarly) {
  const Minimum found = minimize(rosenbrock, {-1.2, 1.0}, wide(2), {.most_iterations = 3});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 3);
  EXPECT_LT(found.value, 24.2);
}

TEST(Lbfgs, EndsAtOnceWhereTheGradientIsZero) {
  const Minimum found = minimize([](auto, std::span<double> gradient) { return gradient[0] = 0.0; }, {3.0}, wide(1));
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.at[0], 3.0);
  EXPECT_EQ(found.evaluations, 1);
}

}  // namespace
}  // namespace cairn::lbfgs_test
