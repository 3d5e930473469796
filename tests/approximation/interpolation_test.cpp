#include "cairn/approximation/biharmonic/interpolation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "cairn/base/error.hpp"
#include "interpolation_problem.hpp"

namespace cairn::interpolation_test {
namespace {

using test::compute;
using test::Context;
using test::dense_interpolation;
using test::gathered;
using test::grid_graph;
using test::operator_of;
using test::some_landmarks;
using test::world;

constexpr std::uint64_t seed = 7;

class InterpolationBy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, InterpolationBy, testing::Values("direct", "local", "auto"),
                         [](const auto& info) { return info.param; });

TEST_P(InterpolationBy, DensePIsTheDenseSolution) {
  const auto graph = grid_graph(19, 16, 0.3, seed);
  const auto landmarks = some_landmarks(graph.vertices, 23, seed);
  InterpolationReport report;
  const auto p = compute(graph, landmarks, {.solver = GetParam(), .p_row = 0}, report);
  EXPECT_LT(test::largest_difference(gathered(world(), p), dense_interpolation(graph, landmarks)), 1e-10);
  EXPECT_LT(report.largest_row_sum_error.value(), 1e-11);
  EXPECT_GT(report.condition_estimate, 10.0);
  EXPECT_TRUE(report.warnings.empty());
}

TEST_P(InterpolationBy, WeightsAndMassesCount) {
  const auto graph = weighted(grid_graph(16, 12, 0.2, seed), seed);
  for (const Index count : {9, 140}) {  // harmonic functions are kept, and are not
    const auto landmarks = some_landmarks(graph.vertices, count, seed);
    InterpolationReport report;
    const auto p = compute(graph, landmarks, {.solver = GetParam(), .p_row = 0}, report);
    EXPECT_LT(test::largest_difference(gathered(world(), p), dense_interpolation(graph, landmarks)), 1e-10);
  }
}

// |B_uu|_1 |B_uu^-1|_1, where B is the matrix that a solver takes.
double condition(const test::LongMatrix& m, const std::vector<Index>& landmarks) {
  std::vector<std::size_t> unknowns;
  for (std::size_t v = 0; v < m.size(); ++v) {
    if (std::ranges::count(landmarks, static_cast<Index>(v)) == 0) unknowns.push_back(v);
  }
  const std::size_t n = unknowns.size();
  std::vector<std::vector<long double>> system(n, std::vector<long double>(2 * n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) system[i][j] = m[unknowns[i]][unknowns[j]];
    system[i][n + i] = 1;
  }
  const auto norm = [n](const auto& matrix) {
    double largest = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += std::abs(static_cast<double>(matrix[i][j]));
      largest = std::max(largest, sum);
    }
    return largest;
  };
  return norm(system) * norm(test::solved(system));
}

TEST_P(InterpolationBy, ConditionEstimateIsNearTheCondition) {
  for (const auto& graph : {grid_graph(14, 12, 0.2, seed), weighted(grid_graph(14, 12, 0.2, seed), seed)}) {
    const auto landmarks = some_landmarks(graph.vertices, 8, seed);
    InterpolationReport report;
    static_cast<void>(compute(graph, landmarks, {.solver = GetParam(), .p_row = 5}, report));
    const double expected =
        condition(report.solver == "local" ? test::dense_biharmonic(graph) : test::dense_laplacian(graph), landmarks);
    EXPECT_LE(report.condition_estimate, 1.001 * expected);
    EXPECT_GE(report.condition_estimate, expected / 4.0);
  }
}

TEST_P(InterpolationBy, RowsOfDensePSumToOneWithFewLandmarks) {
  const auto graph = grid_graph(60, 50, 0.2, seed);
  InterpolationReport report;
  const auto p = compute(graph, some_landmarks(graph.vertices, 2, seed), {.solver = GetParam(), .p_row = 0}, report);
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto values = p.row(row).values;
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 1.0, 1e-8);
  }
  EXPECT_LT(report.largest_row_sum_error.value(), 1e-8);
}

TEST_P(InterpolationBy, OneLandmarkGivesOnesEverywhere) {
  const auto graph = grid_graph(9, 7, 0.2, seed);
  InterpolationReport report;
  const auto p = compute(graph, {17}, {.solver = GetParam()}, report);
  for (const auto& row : gathered(world(), p)) EXPECT_NEAR(row[0], 1.0, 1e-10);
  EXPECT_EQ(report.notes.size(), 1U);  // p_row = 50 of one landmark
}

TEST_P(InterpolationBy, EachColumnKeepsItsLargestEntries) {
  const auto graph = grid_graph(24, 21, 0.25, seed);
  const Index n = graph.vertices, l = 40, p_row = 6;
  const auto landmarks = some_landmarks(n, l, seed);
  InterpolationReport report;
  const auto p = gathered(world(), compute(graph, landmarks, {.solver = GetParam(), .p_row = p_row}, report));
  auto expected = dense_interpolation(graph, landmarks);
  for (const Index v : landmarks) std::ranges::fill(expected[v], 0.0);
  const auto kept = static_cast<std::size_t>(std::lround(static_cast<double>((n - l) * p_row) / l));
  double dropped = 0.0;
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < expected.size(); ++i) order.emplace_back(-std::abs(expected[i][k]), i);
    std::ranges::sort(order);
    std::size_t nonzero = 0;
    for (std::size_t i = 0; i < p.size(); ++i) nonzero += p[i][k] != 0.0 ? 1 : 0;
    EXPECT_EQ(nonzero, kept + 1) << "column " << k;  // and the landmark's own 1
    double all = 0.0, rest = 0.0;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const auto [magnitude, i] = order[place];
      all += magnitude * magnitude;
      if (place >= kept) rest += magnitude * magnitude;
      if (place < kept) EXPECT_NEAR(p[i][k], expected[i][k], 1e-6) << "column " << k << ", place " << place;
    }
    dropped += rest / all;
  }
  EXPECT_NEAR(report.dropped_norm, std::sqrt(dropped / l), 1e-3);
  EXPECT_LT(report.largest_row_sum_error.value(), 1e-8) << "before anything is dropped";
}

TEST_P(InterpolationBy, EachRowKeepsItsLargestEntries) {
  const auto graph = grid_graph(20, 20, 0.25, seed);
  const Index l = 30, p_row = 5;
  const auto landmarks = some_landmarks(graph.vertices, l, seed);
  InterpolationReport report;
  const auto p =
      gathered(world(), compute(graph, landmarks, {.solver = GetParam(), .p_row = p_row, .sparsity = "rows"}, report));
  const auto expected = dense_interpolation(graph, landmarks);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool landmark = std::ranges::count(landmarks, static_cast<Index>(i)) > 0;
    EXPECT_EQ(std::ranges::count_if(p[i], [](double v) { return v != 0.0; }), landmark ? 1 : p_row);
    std::vector<double> magnitudes;
    for (const double v : expected[i]) magnitudes.push_back(std::abs(v));
    std::ranges::sort(magnitudes, std::greater<>());
    for (std::size_t k = 0; k < p[i].size(); ++k) {
      if (p[i][k] == 0.0) continue;
      EXPECT_NEAR(p[i][k], expected[i][k], 1e-6);
      EXPECT_GT(std::abs(p[i][k]), magnitudes[p_row - 1] - 1e-6);
    }
  }
}

TEST_P(InterpolationBy, NormalizedRowsSumToOne) {
  const auto graph = grid_graph(20, 20, 0.25, seed);
  const auto landmarks = some_landmarks(graph.vertices, 30, seed);
  InterpolationReport report;
  const auto p =
      gathered(world(), compute(graph, landmarks, {.solver = GetParam(), .p_row = 8, .normalize = true}, report));
  const auto plain = gathered(world(), compute(graph, landmarks, {.solver = GetParam(), .p_row = 8}, report));
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double sum = std::accumulate(plain[i].begin(), plain[i].end(), 0.0);
    for (std::size_t k = 0; k < p[i].size(); ++k) EXPECT_NEAR(p[i][k], sum == 0.0 ? 0.0 : plain[i][k] / sum, 1e-12);
  }
}

TEST_P(InterpolationBy, TheRanksDoNotMatter) {
  const auto graph = grid_graph(30, 30, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 60, seed);
  const InterpolationParameters parameters{.solver = GetParam(), .p_row = 10};
  InterpolationReport together, alone;
  const auto p = gathered(world(), compute(graph, landmarks, parameters, together));
  const Communicator self(MPI_COMM_SELF);
  const Context context(self);
  const BiharmonicOperator op = operator_of(self, graph);
  const auto own = gathered(self, interpolation(context.execution, op, landmarks, parameters, alone));
  // The core of the harmonic form is summed over ranks.
  EXPECT_LE(test::largest_difference(p, own), together.solver == "local" ? 0.0 : 1e-12);
  EXPECT_NEAR(together.condition_estimate, alone.condition_estimate, 1e-9 * alone.condition_estimate);
}

TEST_P(InterpolationBy, AComponentWithoutLandmarkIsNamed) {
  auto graph = grid_graph(6, 5, 0.0, seed);
  graph.vertices += 3;  // 30 - 31 - 32
  graph.edges.emplace_back(30, 31);
  graph.edges.emplace_back(31, 32);
  InterpolationReport report;
  try {
    static_cast<void>(compute(graph, {3, 8}, {.solver = GetParam()}, report));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_NE(std::string(error.what()).find("vertex 30 (3 vertices)"), std::string::npos) << error.what();
  }
  const auto p = gathered(world(), compute(graph, {3, 31}, {.solver = GetParam(), .p_row = 0}, report));
  EXPECT_NEAR(p[0][0], 1.0, 1e-12);
  EXPECT_NEAR(p[32][1], 1.0, 1e-12);
  EXPECT_EQ(p[32][0], 0.0);
}

// The least magnitude of each column's entries.
std::vector<double> least_of_columns(const SparseRows<double>& p) {
  std::vector<double> least(p.columns(), 2.0);
  for (std::size_t e = 0; e < p.values().size(); ++e) {
    double& value = least[p.indices()[e]];
    value = std::min(value, std::abs(p.values()[e]));
  }
  world().minimum(std::span(least));
  return least;
}

// Each entry of p is in q too; but entries that are within the tolerance of a column's least one, of which there are
// pairs of equal ones (leaves at the same vertex), may have changed places with others.
void expect_entries_in(const SparseRows<double>& p, const SparseRows<double>& q, double tolerance) {
  const auto least = least_of_columns(q);
  Index elsewhere = 0;
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto a = p.row(row), b = q.row(row);
    for (std::size_t k = 0; k < a.columns.size(); ++k) {
      const Index column = a.columns[k];
      const auto at = std::ranges::lower_bound(b.columns, column);
      if (at == b.columns.end() || *at != column) {
        ++elsewhere;
        EXPECT_LE(std::abs(a.values[k]), least[column] + tolerance) << row << ", " << column;
      } else {
        EXPECT_NEAR(a.values[k], b.values[at - b.columns.begin()], tolerance);
      }
    }
  }
  EXPECT_LE(world().sum(elsewhere), world().sum(p.own_entries()) / 500);
}

// P by one factor. It takes longer than all else: the first number of ranks computes it, and rank 0 keeps it for
// others.
struct ByOneFactor {
  std::vector<Index> starts, columns;  // of all rows
  std::vector<double> values;
  double dropped_norm = 0.0;
};

SparseRows<double> by_one_factor(ByOneFactor& kept, const test::SmallGraph& graph,
                                 const std::vector<Index>& landmarks) {
  if (world().sum(kept.starts.size()) == 0) {
    InterpolationReport report;
    const auto p = compute(graph, landmarks, {.solver = "direct", .p_row = 10}, report);
    std::vector<Index> sizes;
    for (std::size_t i = 1; i < p.starts().size(); ++i) sizes.push_back(p.starts()[i] - p.starts()[i - 1]);
    sizes = world().all_gather(sizes);
    kept = {.starts = {0},
            .columns = world().all_gather(p.indices()),
            .values = world().all_gather(p.values()),
            .dropped_norm = report.dropped_norm};
    for (const Index size : sizes) kept.starts.push_back(kept.starts.back() + size);
  }
  world().broadcast(kept.starts, 0);
  world().broadcast(kept.columns, 0);
  world().broadcast(kept.values, 0);
  world().broadcast(std::span(&kept.dropped_norm, 1), 0);
  const RowPartition partition(graph.vertices, world().size());
  const Range own = partition.range(world().rank());
  const Index first = kept.starts[own.begin], end = kept.starts[own.end];
  std::vector<Index> starts(kept.starts.begin() + own.begin, kept.starts.begin() + own.end + 1);
  for (Index& start : starts) start -= first;
  return {partition,
          world().rank(),
          static_cast<Index>(landmarks.size()),
          std::move(starts),
          {kept.columns.begin() + first, kept.columns.begin() + end},
          {kept.values.begin() + first, kept.values.begin() + end}};
}

void expect_patches_agree(ByOneFactor& kept, const test::SmallGraph& graph, Index count, Index patches,
                          std::vector<double> tolerances) {
  const auto landmarks = some_landmarks(graph.vertices, count, seed);
  const auto q = by_one_factor(kept, graph, landmarks);
  for (const double tolerance : tolerances) {
    InterpolationReport by_patches;
    const auto p = compute(graph, landmarks, {.solver = "local", .p_row = 10, .tolerance = tolerance}, by_patches);
    EXPECT_EQ(by_patches.patches, patches);
    EXPECT_LE(by_patches.edge_bound, tolerance);
    if (patches == 1) EXPECT_EQ(by_patches.edge_bound, 0.0);
    if (patches > 1 && tolerance == 1e-4) EXPECT_GT(by_patches.edge_bound, 0.0) << "no patch has an edge";
    EXPECT_LT(by_patches.largest_row_sum_error.value(), 10 * tolerance);
    EXPECT_NEAR(by_patches.dropped_norm, kept.dropped_norm, 0.1 * kept.dropped_norm);  // of what it knows
    EXPECT_EQ(world().sum(p.own_entries()), world().sum(q.own_entries()));
    expect_entries_in(q, p, tolerance);
    expect_entries_in(p, q, tolerance);
  }
}

TEST(Interpolation, ByPatchesAgreesWithOneFactor) {
  static ByOneFactor kept;
  expect_patches_agree(kept, grid_graph(1200, 8, 0.2, seed), 4000, 4, {1e-4});
}

// The margins of two patches of a square would overlap in most of it.
TEST(Interpolation, HasOnePatchWherePatchesWouldBeMostOfTheGraph) {
  static ByOneFactor kept;
  expect_patches_agree(kept, grid_graph(70, 70, 0.2, seed), 1600, 1, {1e-4, 1e-7});
}

TEST(Interpolation, ByPatchesAgreesWithOneFactorWhereWeightsAndMassesDiffer) {
  static ByOneFactor kept;
  expect_patches_agree(kept, weighted(grid_graph(1200, 8, 0.2, seed), seed), 4000, 4, {1e-7});
}

// As the diagonals of squares on a mesh whose triangles have right angles.
TEST(Interpolation, ByPatchesAgreesWithOneFactorWhereEdgesHaveNextToNoWeight) {
  const Index width = 1200;
  auto graph = grid_graph(width, 8, 0.0, seed);
  graph.weights.assign(graph.edges.size(), 1.0);
  for (Index v = 0; v + width < graph.vertices; ++v) {
    if (v % width + 1 == width) continue;
    graph.edges.emplace_back(v, v + width + 1);
    graph.weights.push_back(v % 3 == 0 ? 0.0 : 6e-17);
  }
  static ByOneFactor kept;
  expect_patches_agree(kept, graph, 4000, 4, {1e-4});
}

TEST(Interpolation, IsTheIdentityWhereEveryVertexIsALandmark) {
  const auto graph = grid_graph(5, 4, 0.0, seed);
  std::vector<Index> landmarks = some_landmarks(graph.vertices, graph.vertices, seed);
  InterpolationReport report;
  const auto p = gathered(world(), compute(graph, landmarks, {}, report));
  for (std::size_t k = 0; k < landmarks.size(); ++k) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_EQ(p[i][k], static_cast<Index>(i) == landmarks[k] ? 1.0 : 0.0);
    }
  }
}

TEST(Interpolation, OfAPathByHand) {
  // 0 - 1 - 2, landmarks 0 and 2: M_11 = 1 + 4 + 1, M_10 = M_12 = -3: both weights are 1/2.
  test::SmallGraph path{.vertices = 3, .edges = {{0, 1}, {1, 2}}, .weights = {}, .masses = {}};
  InterpolationReport report;
  const auto p = gathered(world(), compute(path, {2, 0}, {.solver = "direct", .p_row = 0}, report));
  EXPECT_NEAR(p[1][0], 0.5, 1e-15);
  EXPECT_NEAR(p[1][1], 0.5, 1e-15);
  EXPECT_EQ(p[2][0], 1.0);
  EXPECT_EQ(p[0][1], 1.0);
}

TEST(Interpolation, RefusesWhatMakesNoSense) {
  const auto graph = grid_graph(5, 4, 0.0, seed);
  const auto refused = [&](const std::vector<Index>& landmarks, const InterpolationParameters& parameters) {
    InterpolationReport report;
    try {
      static_cast<void>(compute(graph, landmarks, parameters, report));
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
  };
  EXPECT_TRUE(refused({}, {}));
  EXPECT_TRUE(refused({3, 3}, {}));
  EXPECT_TRUE(refused({3, 20}, {}));
  EXPECT_TRUE(refused({3, -1}, {}));
  EXPECT_TRUE(refused({3}, {.solver = "exact"}));
  EXPECT_TRUE(refused({3}, {.p_row = -1}));
  EXPECT_TRUE(refused({3}, {.sparsity = "both"}));
  EXPECT_TRUE(refused({3}, {.tolerance = 0.0}));
}

}  // namespace
}  // namespace cairn::interpolation_test
