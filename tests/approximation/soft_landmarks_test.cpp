#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/error.hpp"
#include "interpolation_problem.hpp"

namespace cairn::soft_landmarks_test {
namespace {

using test::compute;
using test::dense_interpolation;
using test::dense_soft_interpolation;
using test::gathered;
using test::grid_graph;
using test::some_landmarks;
using test::world;

constexpr std::uint64_t seed = 11;

class SoftLandmarksBy : public testing::TestWithParam<std::string> {
 public:
  [[nodiscard]] static InterpolationParameters parameters(Index p_row, double penalty) {
    return {.solver = GetParam(), .p_row = p_row, .tolerance = 1e-10, .soft_landmarks = penalty};
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, SoftLandmarksBy, testing::Values("direct", "petsc"),
                         [](const auto& info) { return info.param; });

TEST_P(SoftLandmarksBy, PIsTheDenseSolution) {
  const auto graph = weighted(grid_graph(16, 11, 0.3, seed), seed);
  for (const Index count : {12, 140}) {  // harmonic functions are kept, and are not
    const auto landmarks = some_landmarks(graph.vertices, count, seed);
    for (const double penalty : {1e-3, 1.0, 1e4}) {
      InterpolationReport report;
      const auto p = compute(graph, landmarks, parameters(0, penalty), report);
      EXPECT_LT(test::largest_difference(gathered(world(), p), dense_soft_interpolation(graph, landmarks, penalty)),
                1e-7)
          << penalty;
      EXPECT_LT(report.largest_row_sum_error.value(), 1e-7) << penalty;
      EXPECT_GE(report.condition_estimate, 1.0);
    }
  }
}

TEST_P(SoftLandmarksBy, AGreatPenaltyMakesThemHard) {
  const auto graph = grid_graph(15, 15, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 12, seed);
  InterpolationReport report;
  const auto p = compute(graph, landmarks, parameters(0, 1e7), report);
  EXPECT_LT(test::largest_difference(gathered(world(), p), dense_interpolation(graph, landmarks)), 1e-5);
}

TEST_P(SoftLandmarksBy, ColumnsKeepTheirLargestEntriesLandmarksIncluded) {
  const auto graph = grid_graph(13, 12, 0.25, seed);
  const Index l = 20, p_row = 5;
  const auto landmarks = some_landmarks(graph.vertices, l, seed);
  for (const std::string sparsity : {"columns", "rows"}) {
    auto chosen = parameters(p_row, 0.1);
    chosen.sparsity = sparsity;
    InterpolationReport report;
    const auto p = gathered(world(), compute(graph, landmarks, chosen, report));
    const auto expected = dense_soft_interpolation(graph, landmarks, 0.1);
    Index entries = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t k = 0; k < p[i].size(); ++k) {
        if (p[i][k] == 0.0) continue;
        ++entries;
        EXPECT_NEAR(p[i][k], expected[i][k], 1e-7);
      }
    }
    EXPECT_EQ(entries, graph.vertices * p_row) << sparsity;
    const auto first = static_cast<std::size_t>(landmarks.front());
    EXPECT_GT(std::ranges::count_if(p[first], [](double v) { return v != 0.0; }), 1) << "a landmark's row is no e_k";
  }
}

TEST_P(SoftLandmarksBy, EveryVertexMayBeOne) {
  const auto graph = grid_graph(6, 5, 0.0, seed);
  const auto landmarks = some_landmarks(graph.vertices, graph.vertices, seed);
  InterpolationReport report;
  const auto p = compute(graph, landmarks, parameters(0, 2.0), report);
  EXPECT_LT(test::largest_difference(gathered(world(), p), dense_soft_interpolation(graph, landmarks, 2.0)), 1e-8);
}

TEST(SoftLandmarks, DoNotGoWithPatches) {
  const auto graph = grid_graph(6, 5, 0.0, seed);
  for (const auto& parameters : {InterpolationParameters{.solver = "local", .soft_landmarks = 1.0},
                                 InterpolationParameters{.solver = "direct", .soft_landmarks = -1.0}}) {
    InterpolationReport report;
    try {
      static_cast<void>(compute(graph, {3, 8}, parameters, report));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("soft"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace cairn::soft_landmarks_test
