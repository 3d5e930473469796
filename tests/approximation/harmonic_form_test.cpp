#include "cairn/approximation/biharmonic/harmonic/harmonic_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cairn/approximation/biharmonic/harmonic/laplacian_rows.hpp"
#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/error.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "interpolation_problem.hpp"
#include "landmark/remembering_ledger.hpp"

namespace cairn::harmonic_form_test {
namespace {

using test::gathered;
using test::grid_graph;
using test::operator_of;
using test::some_landmarks;
using test::world;

constexpr std::uint64_t seed = 7;

// Numbers that are the same on any number of ranks.
RowBlock<double> numbers(const LaplacianRows& rows, Index columns) {
  RowBlock<double> block(rows.partition(), rows.communicator().rank(), columns);
  for (Index v = block.range().begin; v < block.range().end; ++v) {
    for (Index k = 0; k < columns; ++k) block.row(v)[k] = std::sin(static_cast<double>(7 * v + 3 * k + 1));
  }
  return block;
}

std::vector<std::vector<double>> everywhere(const RowBlock<double>& block) {
  std::vector<double> own(block.local().data, block.local().data + block.range().size() * block.columns());
  const std::vector<double> all = world().all_gather(own);
  std::vector<std::vector<double>> rows;
  for (auto at = all.begin(); at != all.end(); at += block.columns()) rows.emplace_back(at, at + block.columns());
  return rows;
}

class LaplacianOn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LaplacianOn, testing::Values(1, 3));

TEST_P(LaplacianOn, AProductIsThatOfTheDenseMatrix) {
  const auto graph = weighted(grid_graph(17, 13, 0.3, seed), seed);
  const BiharmonicOperator op = operator_of(world(), graph);
  const LaplacianRows rows(world(), OperatorView(op), GetParam());
  RowBlock<double> x = numbers(rows, 5), y = numbers(rows, 5);
  rows.multiply(std::as_const(x).local(), y.local());
  const auto from = everywhere(x), product = everywhere(y);
  const test::LongMatrix dense = test::dense_laplacian(graph);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      long double sum = 0;
      for (std::size_t j = 0; j < dense.size(); ++j) sum += dense[i][j] * from[j][k];
      EXPECT_NEAR(static_cast<double>(sum), product[i][k], 1e-13);
    }
  }
}

TEST_P(LaplacianOn, SolutionsAreThoseOfElimination) {
  const auto graph = weighted(grid_graph(14, 11, 0.2, seed), seed);
  auto landmarks = some_landmarks(graph.vertices, 13, seed);
  std::ranges::sort(landmarks);
  const BiharmonicOperator op = operator_of(world(), graph);
  const LaplacianRows rows(world(), OperatorView(op), GetParam());
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world(), phases, ledger, GetParam(), 1};
  for (const bool factored : {true, false}) {
    if (!factored && !has_petsc()) continue;
    const auto solver =
        factored ? make_factored_laplacian(execution, rows, landmarks, 0)
                 : make_petsc_laplacian(rows, landmarks, {"hypre", "", 1e-12, InterpolationParameters{}.keys});
    const Index columns = 7;
    RowBlock<double> x = numbers(rows, columns);
    const auto loads = everywhere(x);
    solver->solve(x.local());
    const auto solution = everywhere(x);
    test::LongMatrix system = test::dense_laplacian(graph);
    for (std::size_t v = 0; v < system.size(); ++v) {
      const bool fixed = std::ranges::binary_search(landmarks, static_cast<Index>(v));
      for (std::size_t j = 0; j < system.size(); ++j) {
        if (fixed || std::ranges::binary_search(landmarks, static_cast<Index>(j))) system[v][j] = v == j ? 1 : 0;
      }
      for (const double load : loads[v]) system[v].push_back(fixed ? 0.0L : static_cast<long double>(load));
    }
    EXPECT_LT(test::largest_difference(solution, test::solved(system)), 1e-9) << "factored: " << factored;
  }
}

// Where harmonic functions are still kept, and are no longer.
TEST_P(LaplacianOn, BothFormsOfPAreTheDenseSolution) {
  const auto graph = weighted(grid_graph(16, 13, 0.2, seed), seed);
  ASSERT_TRUE(HarmonicForm::keeps_functions(128));
  ASSERT_FALSE(HarmonicForm::keeps_functions(129));
  for (const Index count : {128, 129}) {
    const auto landmarks = some_landmarks(graph.vertices, count, seed);
    Phases phases;
    MemoryLedger ledger;
    const Execution execution{world(), phases, ledger, GetParam(), 1};
    InterpolationReport report;
    const auto p =
        interpolation(execution, operator_of(world(), graph), landmarks, {.solver = "direct", .p_row = 0}, report);
    EXPECT_LT(test::largest_difference(gathered(world(), p), test::dense_interpolation(graph, landmarks)), 1e-10);
    EXPECT_LT(report.largest_row_sum_error.value(), 1e-11);
  }
}

// Ends the run after each harmonic function that it has stored.
class ImpatientLedger final : public test::RememberingLedger {
 public:
  void begin(const char* name, Index tiles) override {
    functions_ = std::string(name) == "harmonic functions";
    RememberingLedger::begin(name, tiles);
  }
  bool get(Index tile, std::span<std::byte> bytes) override {
    const bool found = RememberingLedger::get(tile, bytes);
    if (functions_ && found) ++restored;
    return found;
  }
  void put(Index tile, std::span<const std::byte> bytes) override {
    RememberingLedger::put(tile, bytes);
    if (functions_) throw Error(ErrorKind::interrupted, "stopped");
  }
  Index restored = 0;

 private:
  bool functions_ = false;
};

TEST(HarmonicFunctions, AreNotFoundAgainAfterAStop) {
  const auto graph = weighted(grid_graph(18, 12, 0.2, seed), seed);
  const auto landmarks = some_landmarks(graph.vertices, 130, seed);
  const BiharmonicOperator op = operator_of(world(), graph);
  for (const std::string sparsity : {"columns", "rows"}) {
    ImpatientLedger ledger;
    const auto run = [&](TileLedger& with) {
      Phases phases;
      const Execution execution{world(), phases, with, 1, 1};
      InterpolationReport report;
      return gathered(world(), interpolation(execution, op, landmarks,
                                             {.solver = "direct", .p_row = 8, .sparsity = sparsity}, report));
    };
    MemoryLedger none;
    const test::FullMatrix whole = run(none);
    int stops = 0;
    for (;; ++stops) {
      ASSERT_LT(stops, 200);
      const Index before = std::exchange(ledger.restored, 0);
      try {
        const test::FullMatrix resumed = run(ledger);
        EXPECT_LT(test::largest_difference(resumed, whole), 1e-12);
        break;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::interrupted);
        EXPECT_GE(ledger.restored, before);
      }
    }
    EXPECT_GT(stops, 1);
    EXPECT_EQ(world().sum(ledger.restored), 130);
  }
}

}  // namespace
}  // namespace cairn::harmonic_form_test
