#include "cairn/base/mpi/collective_guard.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_communicator.hpp"

namespace cairn::collective_guard_test {
namespace {

using test::world;

TEST(CollectiveGuard, ReturnsEachRanksOwnResult) {
  EXPECT_EQ(collectively(world(), [] { return world().rank() * 2; }), world().rank() * 2);
}

TEST(CollectiveGuard, AnErrorOfOneRankIsThrownOnAll) {
  const int culprit = world().size() - 1;
  try {
    collectively(world(), [&] {
      if (world().rank() == culprit) throw Error(ErrorKind::input, "bad.csv:7: no number");
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_STREQ(error.what(), "bad.csv:7: no number");
  }
}

TEST(CollectiveGuard, TheLowestRanksErrorWins) {
  try {
    collectively(world(), []() -> int { throw Error(ErrorKind::numeric, "rank " + std::to_string(world().rank())); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 0");
  }
}

TEST(CollectiveGuard, ForeignExceptionsBecomeOurs) {
  try {
    collectively(world(), [] { throw std::bad_alloc(); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

// As in a terminate handler that a thread which nobody joined has called.
TEST(CurrentError, IsAnInternalOneWhereNothingWasThrown) {
  const Error error = current_error();
  EXPECT_EQ(error.exit_code(), 70);
  EXPECT_NE(std::string(error.what()).find("without an exception"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace cairn::collective_guard_test
