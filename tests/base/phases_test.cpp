#include "cairn/base/phases.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_communicator.hpp"

namespace cairn {
namespace {

using test::world;

// Every rank has a phase of its own, and enters those that all have in another order.
TEST(PhasesOverRanks, NeedNotBeTheSameOnEveryRank) {
  Phases phases;
  const int me = world().rank();
  const std::string own = "of rank " + std::to_string(me);
  if (me % 2 == 1) phases.enter(own).count_bytes(100 + me);
  phases.enter("all").count_evaluations(me);
  if (me % 2 == 0) phases.enter(own).count_bytes(100 + me);
  const auto rows = phases.summarize(world());
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(world().size()) + 1);
  EXPECT_EQ(rows[0].name, "all");
  EXPECT_EQ(rows[0].evaluations, world().size() * (world().size() - 1) / 2);
  for (int r = 0; r < world().size(); ++r) {
    const PhaseSummary& row = rows[static_cast<std::size_t>(r) + 1];
    EXPECT_EQ(row.name, "of rank " + std::to_string(r));
    EXPECT_EQ(row.bytes, 100 + r);
    EXPECT_EQ(row.evaluations, 0);
  }
}

TEST(PhasesOverRanks, AreThereWhereARankHasNone) {
  Phases phases;
  if (!world().is_root()) phases.enter("others").count_busy(2.0);
  const auto rows = phases.summarize(world());
  ASSERT_EQ(rows.size(), world().size() > 1 ? 1U : 0U);
  if (rows.empty()) return;
  EXPECT_EQ(rows[0].busy, 2.0);
  EXPECT_DOUBLE_EQ(rows[0].imbalance, static_cast<double>(world().size()) / (world().size() - 1));
}

}  // namespace
}  // namespace cairn
