// Errors of the family on an indefinite matrix, against figures that were measured with NumPy: rbf of 1000 points in
// five dimensions, exp(-|x - y|² / 20), with symmetric noise of standard deviation .02 on the diagonal, .02 / sqrt(2)
// off it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "approximation/method_choice.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "test_communicator.hpp"

namespace cairn::published_errors_test {
namespace {

using test::world;

constexpr Index points = 1000;

SimilarityChoice rbf_with_noise() {
  SimilarityChoice sum("sum"), noise("noise");
  noise.set("sigma", fmt::format("{:.17g}", 0.02 / std::sqrt(2.0))).set("sigma-diagonal", "0.02");
  sum.parts = {SimilarityChoice("rbf").set("gamma", "0.05"), noise};
  return sum;
}

double relative_error(std::uint64_t seed, Index landmarks, const test::MethodChoice& parameters) {
  test::Context context;
  context.execution.seed = seed;
  const auto set =
      read_points<double>(world(), {.dimension = 5, .generator = "normal", .points = points, .seed = seed});
  const auto similarity = make_similarity<double>(context.execution, rbf_with_noise(), set);
  const auto result = test::approximate<double>(parameters, context.execution, *similarity, set,
                                                select_uniform<double>(context.execution, set, landmarks));
  return error_over_rows(context.execution, result, *similarity, set, points).relative_error;
}

double median_error(int draws, Index landmarks, const test::MethodChoice& parameters) {
  std::vector<double> errors;
  for (int seed = 1; seed <= draws; ++seed) {
    errors.push_back(relative_error(static_cast<std::uint64_t>(seed), landmarks, parameters));
  }
  std::nth_element(errors.begin(), errors.begin() + draws / 2, errors.end());
  return errors[draws / 2];
}

test::MethodChoice nystrom(double tolerance) {
  test::MethodChoice parameters;
  parameters.set("tolerance", tolerance);
  return parameters;
}

test::MethodChoice cur(const std::string& method, Index s2) {
  test::MethodChoice parameters;
  parameters.name = method;
  if (s2 > 0) parameters.set("s2", s2);  // else the default of the method
  return parameters;
}

constexpr int draws = 11;

void expect_within_ten_percent(double measured, double published) { EXPECT_NEAR(measured, published, 0.1 * published); }

TEST(PublishedErrors, TruncatedNystrom) {
  expect_within_ten_percent(median_error(draws, 100, nystrom(1e-3)), 0.033);
  expect_within_ten_percent(median_error(draws, 400, nystrom(1e-3)), 0.019);
}

TEST(PublishedErrors, SiCurWithHalfTheColumns) {
  expect_within_ten_percent(median_error(draws, 50, cur("sicur", 100)), 0.036);
  expect_within_ten_percent(median_error(draws, 200, cur("sicur", 400)), 0.024);
}

TEST(PublishedErrors, SiCurWithTwiceTheRows) {
  expect_within_ten_percent(median_error(draws, 100, cur("sicur", 200)), 0.030);
  expect_within_ten_percent(median_error(draws, 400, cur("sicur", 800)), 0.015);
}

TEST(PublishedErrors, StaCur) {
  expect_within_ten_percent(median_error(draws, 100, cur("stacur", 0)), 0.97);
  expect_within_ten_percent(median_error(draws, 400, cur("stacur", 0)), 0.77);
}

TEST(PublishedErrors, PlainNystromIsAtLeastFiveTimesWorseThanTruncated) {
  for (const Index landmarks : {100, 400}) {
    EXPECT_GE(median_error(51, landmarks, nystrom(1e-14)), 5.0 * median_error(draws, landmarks, nystrom(1e-3)));
  }
}

}  // namespace
}  // namespace cairn::published_errors_test
