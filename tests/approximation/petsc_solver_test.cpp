#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/sparse/petsc.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "expected_errors.hpp"
#include "interpolation_problem.hpp"
#include "landmark/remembering_ledger.hpp"
#ifdef CAIRN_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

namespace cairn::petsc_solver_test {
namespace {

using test::compute;
using test::dense_interpolation;
using test::gathered;
using test::grid_graph;
using test::operator_of;
using test::some_landmarks;
using test::world;

constexpr std::uint64_t seed = 7;

class IterationsWith : public testing::TestWithParam<std::string> {
 public:
  [[nodiscard]] static InterpolationParameters parameters(Index p_row) {
    return {.solver = "petsc", .p_row = p_row, .tolerance = 1e-10, .preconditioner = GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Preconditioners, IterationsWith, testing::Values("gamg", "hypre"),
                         [](const auto& info) { return info.param; });

TEST_P(IterationsWith, DensePIsTheDenseSolution) {
  const auto graph = grid_graph(19, 16, 0.3, seed);
  const auto landmarks = some_landmarks(graph.vertices, 23, seed);
  InterpolationReport report, direct;
  const auto p = compute(graph, landmarks, parameters(0), report);
  EXPECT_LT(test::largest_difference(gathered(world(), p), dense_interpolation(graph, landmarks)), 1e-8);
  EXPECT_LT(report.largest_row_sum_error.value(), 1e-8);
  static_cast<void>(compute(graph, landmarks, {.solver = "direct", .p_row = 0}, direct));
  EXPECT_LT(std::abs(std::log(report.condition_estimate / direct.condition_estimate)), std::log(4.0));
  EXPECT_GT(report.iterations, 1);
  EXPECT_GT(report.preconditioned_condition, 1.0);
  EXPECT_LT(report.preconditioned_condition, report.condition_estimate);
}

TEST_P(IterationsWith, WeightsAndMassesCount) {
  const auto graph = weighted(grid_graph(16, 12, 0.2, seed), seed);
  for (const Index count : {9, 140}) {  // harmonic functions are kept, and are not
    const auto landmarks = some_landmarks(graph.vertices, count, seed);
    InterpolationReport report;
    const auto p = compute(graph, landmarks, parameters(0), report);
    EXPECT_LT(test::largest_difference(gathered(world(), p), dense_interpolation(graph, landmarks)), 1e-8);
  }
}

TEST_P(IterationsWith, RowsSumToOneWithTwoLandmarks) {
  const auto graph = grid_graph(40, 30, 0.2, seed);
  InterpolationReport report;
  const auto p = compute(graph, some_landmarks(graph.vertices, 2, seed), parameters(0), report);
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto values = p.row(row).values;
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 1.0, 1e-7);
  }
}

TEST_P(IterationsWith, OfOneLandmarkAllEntriesAreOne) {
  const auto graph = weighted(grid_graph(20, 15, 0.2, seed), seed);
  InterpolationReport report;
  const auto p = compute(graph, {graph.vertices / 3}, parameters(0), report);
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto values = p.row(row).values;
    ASSERT_EQ(values.size(), 1U);
    EXPECT_NEAR(values.front(), 1.0, 1e-7);
  }
}

TEST_P(IterationsWith, TheLargestEntriesAreThoseOfTheDirectSolver) {
  const auto graph = grid_graph(20, 13, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 66, seed);  // two tiles
  for (const std::string sparsity : {"columns", "rows"}) {
    InterpolationReport iterative, direct;
    auto chosen = parameters(8);
    chosen.sparsity = sparsity;
    const auto p = gathered(world(), compute(graph, landmarks, chosen, iterative));
    const auto q =
        gathered(world(), compute(graph, landmarks, {.solver = "direct", .p_row = 8, .sparsity = sparsity}, direct));
    Index different = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t k = 0; k < p[i].size(); ++k) {
        if ((p[i][k] != 0.0) != (q[i][k] != 0.0)) {
          ++different;
        } else {
          EXPECT_NEAR(p[i][k], q[i][k], 1e-8);
        }
      }
    }
    EXPECT_LE(different, 4) << sparsity << ": entries that are equal but for rounding may change places";
    EXPECT_GT(iterative.largest_row_sum_error.value(), 0.0);  // of what was solved for, before anything was dropped
    EXPECT_LT(iterative.largest_row_sum_error.value(), 1e-8);
    EXPECT_NEAR(iterative.dropped_norm, direct.dropped_norm, 1e-8);
  }
}

// Whole columns, of dense P and of P by rows, would be n numbers a column on the rank that collects them.
TEST_P(IterationsWith, NoRankCollectsWholeColumns) {
  const auto graph = grid_graph(20, 13, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 20, seed);
  const BiharmonicOperator op = operator_of(world(), graph);
  const test::Context context;
  for (const Index p_row : {0, 8, 20}) {
    auto chosen = parameters(p_row);
    chosen.sparsity = "rows";
    const auto solver = make_harmonic_solver(context.execution, op, landmarks, chosen, false);
    const Range own = RowPartition(graph.vertices, world().size()).range(world().rank());
    solver->prepare();
    for (Index tile = 0; tile < static_cast<Index>(solver->tiles().size()); ++tile) {
      std::vector<Index> sizes;
      EXPECT_TRUE(solver
                      ->solve_own_rows(tile,
                                       [&](const ColumnView& column) {
                                         for (const std::int32_t vertex : column.vertices)
                                           EXPECT_TRUE(own.contains(vertex));
                                         sizes.push_back(std::ssize(column.vertices));
                                       })
                      .columns.empty());
      ASSERT_EQ(sizes.size(), solver->tiles()[tile].size());
      for (const Index size : sizes) EXPECT_EQ(world().sum(size), graph.vertices - 20);
    }
  }
}

TEST_P(IterationsWith, FinishedTilesAreNotSolvedAgain) {
  const auto graph = grid_graph(15, 10, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 66, seed);
  const BiharmonicOperator op = operator_of(world(), graph);
  test::RememberingLedger ledger;
  Phases phases;
  const Execution execution{world(), phases, ledger, 1, 1};
  InterpolationReport report;
  const auto p = gathered(world(), interpolation(execution, op, landmarks, parameters(8), report));
  EXPECT_GT(report.iterations, 0);
  EXPECT_GT(report.largest_row_sum_error.value(), 0.0);
  const auto q = gathered(world(), interpolation(execution, op, landmarks, parameters(8), report));
  EXPECT_FALSE(report.largest_row_sum_error.has_value()) << "nothing is solved for again";
  EXPECT_EQ(test::largest_difference(p, q), 0.0);
}

TEST_P(IterationsWith, AResidualThatIsNotReachedIsAnError) {
  const auto graph = grid_graph(30, 20, 0.2, seed);
  auto chosen = parameters(0);
  chosen.tolerance = 1e-40;
  InterpolationReport report;
  try {
    static_cast<void>(compute(graph, some_landmarks(graph.vertices, 5, seed), chosen, report));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_NE(std::string(error.what()).find("left a residual"), std::string::npos) << error.what();
  }
}

TEST_P(IterationsWith, RowSumsFarFromOneAreAnError) {
  const auto graph = grid_graph(40, 30, 0.2, seed);
  auto chosen = parameters(0);
  chosen.tolerance = 0.3;
  InterpolationReport report;
  try {
    static_cast<void>(compute(graph, some_landmarks(graph.vertices, 3, seed), chosen, report));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_NE(std::string(error.what()).find("sum to 1 within"), std::string::npos) << error.what();
  }
}

TEST_P(IterationsWith, AnIsolatedLandmarkIsAColumnOfItsOwn) {
  auto graph = grid_graph(6, 5, 0.0, seed);
  graph.vertices += 1;
  InterpolationReport report;
  const auto p = gathered(world(), compute(graph, {3, 30, 20}, parameters(0), report));
  EXPECT_EQ(p[30][1], 1.0);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(p[i][1], 0.0);
    EXPECT_NEAR(p[i][0] + p[i][2], 1.0, 1e-8);
  }
}

TEST(Iterations, TakeFurtherOptionsOfPetsc) {
  const auto graph = grid_graph(40, 30, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 9, seed);
  const auto with = [&](const std::string& options) {
    InterpolationReport report;
    static_cast<void>(compute(graph, landmarks, {.solver = "petsc", .p_row = 0, .petsc_options = options}, report));
    return report.iterations;
  };
  EXPECT_GT(with("-cairn_interpolation_pc_hypre_boomeramg_agg_nl 2"), with(""));
  for (const std::string options : {"-ksp_type gmres", "5", "-cairn_interpolation_pc_type none 3"}) {
    test::expect_error([&] { (void)with(options); }, ErrorKind::usage, {"no option that begins with -cairn_interp"});
  }
  for (const std::string name : {"rtol", "atol", "divtol"}) {
    test::expect_error([&] { (void)with("-cairn_interpolation_ksp_" + name + " 1e-3"); }, ErrorKind::usage,
                       {name.c_str(), " has no effect; the tolerance is parameter tolerance"});
  }
  test::expect_error([&] { (void)with("-cairn_interpolation_ksp_max_it 1"); }, ErrorKind::numeric, {"left a residual"});
  EXPECT_GT(with("-cairn_interpolation_pc_hypre_boomeramg_strong_threshold .5"), 0);
#ifndef CAIRN_SANITIZED  // MUMPS keeps memory
  EXPECT_EQ(with("-cairn_interpolation_pc_type cholesky -cairn_interpolation_pc_factor_mat_solver_type mumps"), 1);
#endif
  test::expect_error([&] { (void)with("-cairn_interpolation_no_such_option 1"); }, ErrorKind::usage,
                     {"PETSc has no use for -cairn_interpolation_no_such_option"});
}

TEST(Iterations, SayWhichOptionsHaveAValueThatPetscRefuses) {
#ifdef CAIRN_SANITIZED
  const __lsan::ScopedDisabler petsc_keeps_the_title_of_its_options_after_an_error;
#endif
  const auto graph = grid_graph(12, 10, 0.0, seed);
  const auto landmarks = some_landmarks(graph.vertices, 9, seed);
  const std::string options = "-cairn_interpolation_pc_hypre_boomeramg_max_levels many";
  InterpolationReport report;
  test::expect_error(
      [&] { (void)compute(graph, landmarks, {.solver = "petsc", .p_row = 0, .petsc_options = options}, report); },
      ErrorKind::usage, {"max_levels many: PETSc refuses a value"});
}

// As a PETSc that was built without hypre.
TEST(Iterations, SayWhatDoesWherePetscHasNoHypre) {
  start_slepc(world());
  static const auto with_hypre = petsc::PCSetType;
  petsc::PCSetType = [](PC cycle, PCType type) -> PetscErrorCode {
    return std::string(type) == PCHYPRE ? PETSC_ERR_ARG_UNKNOWN_TYPE : with_hypre(cycle, type);
  };
  const auto graph = grid_graph(12, 10, 0.0, seed);
  const auto landmarks = some_landmarks(graph.vertices, 9, seed);
  InterpolationReport report;
  std::string message;
  try {
    static_cast<void>(compute(graph, landmarks, {.solver = "petsc", .preconditioner = "hypre"}, report));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    message = error.what();
  }
  EXPECT_NE(message.find("without hypre; parameter preconditioner = gamg"), std::string::npos) << message;
  static_cast<void>(compute(graph, landmarks, {.solver = "petsc", .preconditioner = "gamg"}, report));
  EXPECT_GT(report.iterations, 1);
  petsc::PCSetType = with_hypre;
}

TEST(Auto, TakesIterationsWhereTheFactorDoesNotFit) {
  const auto graph = grid_graph(20, 13, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 12, seed);
  for (const double penalty : {0.0, 1.0}) {
    InterpolationParameters parameters{.p_row = 0, .soft_landmarks = penalty, .memory = 1000};
    InterpolationReport report;
    const auto p = compute(graph, landmarks, parameters, report);
    EXPECT_EQ(report.solver, "petsc");
    EXPECT_NE(report.reason.find("would take"), std::string::npos) << report.reason;
    EXPECT_NE(report.reason.find("remains"), std::string::npos) << report.reason;
    parameters.solver = "direct";
    try {
      static_cast<void>(compute(graph, landmarks, parameters, report));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource) << error.what();
    }
  }
}

TEST(Auto, TakesPatchesWhereOnlyThatOfTheWholeDoesNotFit) {
  const auto graph = grid_graph(100, 50, 0.2, seed);
  const auto landmarks = some_landmarks(graph.vertices, 4600, seed);
  InterpolationReport report;
  const auto p =
      compute(graph, landmarks, {.p_row = 1200, .sparsity = "rows", .tolerance = 1e-4, .memory = 1000}, report);
  EXPECT_EQ(report.solver, "local");
  EXPECT_NE(report.reason.find("patches have"), std::string::npos) << report.reason;
}

}  // namespace
}  // namespace cairn::petsc_solver_test
