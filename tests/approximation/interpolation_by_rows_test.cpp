#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/error.hpp"
#include "interpolation_problem.hpp"
#include "landmark/remembering_ledger.hpp"

namespace cairn::interpolation_by_rows_test {
namespace {

using test::FullMatrix;
using test::gathered;
using test::world;

constexpr std::uint64_t seed = 7;

// Wants a state after every round, and ends the run when it has one. Loses what it is told to.
class StoppingLedger final : public test::RememberingLedger {
 public:
  bool due(double /*begun*/) override { return true; }
  void begin(const char* name, Index tiles) override {
    lost_ = !lose.empty() && std::string(name).starts_with(lose);
    RememberingLedger::begin(name, tiles);
  }
  bool get(Index tile, std::span<std::byte> bytes) override { return !lost_ && RememberingLedger::get(tile, bytes); }
  void settle() override {
    ++states;
    if (stops) throw Error(ErrorKind::interrupted, "stopped");
  }

  bool stops = true;
  int states = 0;
  std::string lose;  // what begins so is not there any more

 private:
  bool lost_ = false;
};

class InterpolationByRows : public testing::TestWithParam<std::string> {
 protected:
  FullMatrix run(TileLedger& ledger) {
    Phases phases;
    const Execution execution{world(), phases, ledger, 1, 1};
    InterpolationParameters parameters{.solver = GetParam(), .p_row = 4, .sparsity = "rows"};
    parameters.tolerance = 1e-10;
    return gathered(world(), interpolation(execution, operator_, landmarks_, parameters, report_));
  }

  // Stopped until it ends. @return runs that were stopped
  int run_to_the_end(StoppingLedger& ledger, FullMatrix& p) {
    for (int stopped = 0;; ++stopped) {
      try {
        p = run(ledger);
        return stopped;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted);
        if (stopped > 1000) throw;
      }
    }
  }

  // Multigrid on several ranks of few cores takes a minute for as many as the others take.
  const bool slow_ = GetParam() == "petsc";
  const test::SmallGraph graph_ = test::grid_graph(slow_ ? 16 : 30, slow_ ? 16 : 30, 0.2, seed);
  const std::vector<Index> landmarks_ = test::some_landmarks(graph_.vertices, slow_ ? 40 : 150, seed);
  const BiharmonicOperator operator_ = test::operator_of(world(), graph_);
  InterpolationReport report_;
};
INSTANTIATE_TEST_SUITE_P(Solvers, InterpolationByRows, testing::Values("direct", "local", "petsc"),
                         [](const auto& info) { return info.param; });

TEST_P(InterpolationByRows, ThatIsStoppedAfterEachRoundIsThatOfOneRun) {
  MemoryLedger none;
  const FullMatrix whole = run(none);
  const double sums = report_.largest_row_sum_error.value();
  StoppingLedger ledger;
  FullMatrix resumed;
  EXPECT_GT(run_to_the_end(ledger, resumed), 0);
  EXPECT_LT(test::largest_difference(resumed, whole), 1e-12);
  ASSERT_TRUE(report_.largest_row_sum_error) << "the sums are part of a state";
  EXPECT_NEAR(*report_.largest_row_sum_error, sums, 1e-9);
}

TEST_P(InterpolationByRows, WithoutItsNewestStateGoesOnFromTheOneBefore) {
  MemoryLedger none;
  const FullMatrix whole = run(none);
  for (const std::string lost : {"P by rows", "sums of P's rows", "states of P by rows"}) {
    SCOPED_TRACE(lost);
    StoppingLedger ledger;
    ASSERT_THROW((void)run(ledger), Error);
    ledger.lose = lost;
    ledger.stops = false;
    EXPECT_LT(test::largest_difference(run(ledger), whole), 1e-12);
  }
}

}  // namespace
}  // namespace cairn::interpolation_by_rows_test
