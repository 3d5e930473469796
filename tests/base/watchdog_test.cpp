#include "cairn/base/process/watchdog.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cairn/base/schedule/phases.hpp"
#include "test_communicator.hpp"

namespace cairn::watchdog_test {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, LetsARankLiveThatBeats) {
  const Watchdog watchdog(test::world(), 1s);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 15; ++i) {
    std::this_thread::sleep_for(100ms);
    Watchdog::beat();
  }
  EXPECT_GT(std::chrono::steady_clock::now() - start, 1s) << "a silent rank would not have been ended, either";
}

TEST(Watchdog, WaitsLongerWherePatienceWasAsked) {
  const Watchdog watchdog(test::world(), 1s);
  const Watchdog::Patience patience(5.0);
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(1500ms);
  EXPECT_GT(std::chrono::steady_clock::now() - start, 1s) << "a silent rank would not have been ended, either";
}

// A copy of this process, which is stopped for longer than the limit by one of its own.
TEST(Watchdog, DoesNotCountTheTimeInWhichTheProcessWasStopped) {
  EXPECT_EXIT(
      {
        const pid_t watched = getpid();
        const auto start = std::chrono::steady_clock::now();
        if (fork() == 0) {
          std::this_thread::sleep_for(300ms);
          kill(watched, SIGSTOP);
          std::this_thread::sleep_for(4s);
          kill(watched, SIGCONT);
          _exit(0);
        }
        const Watchdog watchdog(test::world(), 2s);
        std::this_thread::sleep_for(800ms);  // most of it stopped
        std::this_thread::sleep_for(700ms);  // on its own again, and silent
        _exit(std::chrono::steady_clock::now() - start > 4s ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Phases, AddUpByNameAndKeepTheirOrder) {
  Phases phases;
  phases.enter("read").count_bytes(10);
  {
    auto scope = phases.enter("compute");
    scope.count_evaluations(5);
    std::this_thread::sleep_for(20ms);
  }
  phases.enter("read").count_bytes(7);
  const auto rows = phases.summarize(test::world());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "read");
  EXPECT_EQ(rows[0].bytes, 17 * test::world().size());
  EXPECT_EQ(rows[1].evaluations, 5 * test::world().size());
  EXPECT_GE(rows[1].seconds, 0.02);
}

TEST(Memory, PeakIsAtLeastWhatIsResident) {
  const Index resident = resident_bytes();  // before the peak: reading it takes memory, too
  EXPECT_GT(resident, 0);
  EXPECT_GE(peak_resident_bytes(), resident);
}

}  // namespace
}  // namespace cairn::watchdog_test
