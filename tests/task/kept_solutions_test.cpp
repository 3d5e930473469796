#include "cairn/task/regression/kept_solutions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../landmark/remembering_ledger.hpp"
#include "cairn/base/error.hpp"
#include "test_communicator.hpp"

namespace cairn::kept_solutions_test {
namespace {

using test::world;

constexpr Index rows_of_all = 200, columns = 2;

// Asks for every state, and loses the tile of one loop.
class LosingLedger final : public test::RememberingLedger {
 public:
  void begin(const char* name, Index tiles) override {
    RememberingLedger::begin(name, tiles);
    lost_here_ = lost == name;
  }
  bool get(Index tile, std::span<std::byte> bytes) override {
    return !(lost_here_ && tile == 0) && RememberingLedger::get(tile, bytes);
  }
  bool due(double /*begun*/) override { return true; }
  void settle() override {
    if (stops) throw Error(ErrorKind::interrupted, "stopped");
  }

  std::string lost;
  bool stops = false;

 private:
  bool lost_here_ = false;
};

// Every third row of this rank, and x with 1,000 iterations + 10 row + column.
struct Rows {
  RowPartition partition{rows_of_all, world().size()};
  std::vector<Index> rows{};

  Rows() {
    const Range own = partition.range(world().rank());
    for (Index row = own.begin; row < own.end; ++row) {
      if (row % 3 == 0) rows.push_back(row);
    }
  }
  [[nodiscard]] std::vector<double> x(Index iteration) const {
    std::vector<double> values;
    for (const Index row : rows) {
      for (Index c = 0; c < columns; ++c) values.push_back(static_cast<double>(1000 * iteration + 10 * row + c));
    }
    return values;
  }
};

class KeptSolutionsTest : public ::testing::Test {
 protected:
  KeptSolutions solutions(const std::string& name = "system") {
    return {execution_, name, rows_.partition, rows_.rows, columns};
  }

  Rows rows_;
  LosingLedger ledger_;
  Phases phases_;
  Execution execution_{world(), phases_, ledger_, 1, 0};
};

TEST_F(KeptSolutionsTest, TheNewestStateIsRestored) {
  EXPECT_EQ(solutions().restore().iteration, 0);
  KeptSolutions first = solutions();
  for (const Index iteration : {3, 5, 7}) first.keep(iteration, rows_.x(iteration), {iteration, iteration - 1});
  EXPECT_FALSE(first.due() && first.due());  // it asks some times a second
  const GradientPoint found = solutions().restore();
  EXPECT_EQ(found.iteration, 7);
  EXPECT_EQ(found.x, rows_.x(7));
  EXPECT_EQ(found.iterations, (std::vector<Index>{7, 6}));
  EXPECT_EQ(solutions("another system").restore().iteration, 0);
}

TEST_F(KeptSolutionsTest, AStateThatMissesAPieceIsNotTaken) {
  KeptSolutions first = solutions();
  for (const Index iteration : {3, 7}) first.keep(iteration, rows_.x(iteration), {iteration, iteration - 1});
  ledger_.lost = "system, iteration 7";  // its first unit, which the first rank has
  KeptSolutions again = solutions();
  const GradientPoint found = again.restore();
  EXPECT_EQ(found.iteration, 3);
  EXPECT_EQ(found.x, rows_.x(3));
  again.keep(4, rows_.x(4), {4, 4});  // in place of the one that is lost
  ledger_.lost = "system, iteration 4";
  EXPECT_EQ(solutions().restore().iteration, 3);
}

TEST_F(KeptSolutionsTest, ARankThatMustStopStopsAll) {
  ledger_.stops = world().rank() == world().size() - 1;
  KeptSolutions first = solutions();
  first.keep(3, rows_.x(3), {3, 3});
  EXPECT_THROW(first.settle(), Error);
  EXPECT_EQ(solutions().restore().iteration, 3);
}

TEST_F(KeptSolutionsTest, TheDigestIsOfRowsTargetsAndTheirUse) {
  const auto digest = [](double last, bool exchanged, const Communicator& communicator = world()) {
    const Range own = RowPartition(rows_of_all, communicator.size()).range(communicator.rank());
    ChosenRows chosen{.targets = {}};
    chosen.targets.names = {"y"};
    for (Index row = own.begin; row < own.end; ++row) {
      TargetRows& part = (row % 2 == 0) != exchanged ? chosen.training : chosen.held_out;
      part.rows.push_back(row);
      part.targets.push_back(row == rows_of_all - 1 ? last : static_cast<double>(row));
    }
    return training_digest(communicator, 5, 6, chosen);
  };
  EXPECT_EQ(digest(1.0, false), digest(1.0, false));
  EXPECT_NE(digest(1.0, false), digest(2.0, false));
  EXPECT_NE(digest(1.0, false), digest(1.0, true));
  EXPECT_EQ(digest(1.0, false), digest(1.0, false, Communicator(MPI_COMM_SELF)));
}

}  // namespace
}  // namespace cairn::kept_solutions_test
