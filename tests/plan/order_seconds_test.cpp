// Seconds between and beyond orders that were measured.
#include "cairn/plan/order_seconds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cairn::order_seconds_test {
namespace {

// t = a s² + b s³.
double curve(double a, double b, Index order) {
  const auto s = static_cast<double>(order);
  return a * s * s + b * s * s * s;
}

TEST(OrderSeconds, MeasuredOrdersAreTheirOwn) {
  const std::vector<OrderSeconds> measured = {{256, 0.01}, {512, 0.05}, {4096, 12.0}};
  for (const OrderSeconds& one : measured) EXPECT_NEAR(seconds_at(measured, one.order) / one.seconds, 1.0, 1e-12);
}

TEST(OrderSeconds, TwoOrdersGiveTheSquareAndTheCubeAboveThem) {
  const double a = 3e-8, b = 2e-11;
  const std::vector<OrderSeconds> measured = {{1024, curve(a, b, 1024)}, {2048, curve(a, b, 2048)}};
  EXPECT_NEAR(seconds_at(measured, 8000) / curve(a, b, 8000), 1.0, 1e-12);
}

TEST(OrderSeconds, NeitherTheSquareNorTheCubeIsBelowZero) {
  const std::vector<OrderSeconds> slower_than_cubic = {{1000, 1.0}, {2000, 16.0}};
  EXPECT_NEAR(seconds_at(slower_than_cubic, 4000), 16.0 * 8, 1e-9);
  const std::vector<OrderSeconds> faster_than_square = {{1000, 1.0}, {2000, 2.0}};
  EXPECT_NEAR(seconds_at(faster_than_square, 4000), 2.0 * 4, 1e-9);
}

TEST(OrderSeconds, BetweenTwoTheyRiseByAPower) {
  const std::vector<OrderSeconds> measured = {{100, 1.0}, {1000, 1000.0}};
  EXPECT_NEAR(seconds_at(measured, 200), 8.0, 1e-9);
}

TEST(OrderSeconds, OneOrderIsEnough) {
  const std::vector<OrderSeconds> measured = {{100, 1.0}};
  EXPECT_NEAR(seconds_at(measured, 200), 8.0, 1e-12);
  EXPECT_NEAR(seconds_at(measured, 50), 0.25, 1e-12);
}

}  // namespace
}  // namespace cairn::order_seconds_test
