#include "cairn/base/schedule/phases.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "cairn/base/process/peak_memory.hpp"
#include "test_communicator.hpp"

namespace cairn::phases_test {
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

// Memory that is touched, and given back to the system at once.
void take_and_release(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, bytes);
  munmap(memory, bytes);
}

TEST(PhasesOverRanks, HaveAPeakOfTheirOwn) {
  constexpr Index large = Index{96} << 20, difference = Index{64} << 20;
  measure_peaks_of_phases();
  restart_peak();
  Phases phases;
  {
    const auto outer = phases.enter("outer");
    {
      const auto inner = phases.enter("large");
      take_and_release(static_cast<std::size_t>(large));
    }
    const auto inner = phases.enter("small");
  }
  const auto rows = phases.summarize(world());
  ASSERT_EQ(rows.size(), 3U);
  if (rows[0].peak_bytes == 0)
    GTEST_SKIP() << "this system does not measure a peak anew; Linux with a writable /proc/self/clear_refs runs it";
  EXPECT_EQ(rows[0].name, "outer");
  EXPECT_GE(rows[0].peak_bytes, rows[1].peak_bytes);
  EXPECT_GT(rows[1].peak_bytes, rows[2].peak_bytes + difference);
  EXPECT_GE(world().maximum(peak_resident_bytes()), rows[1].peak_bytes);
  restart_peak();
  EXPECT_LT(world().maximum(peak_resident_bytes()), rows[1].peak_bytes - difference);
}

}  // namespace
}  // namespace cairn::phases_test
