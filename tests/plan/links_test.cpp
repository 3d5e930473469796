// Seconds of messages.
#include "cairn/plan/links.hpp"

#include <gtest/gtest.h>

namespace cairn::links_test {
namespace {

constexpr Links links = {{.latency = 1e-6, .bytes = 1e9}, {.latency = 1e-4, .bytes = 1e8}};

TEST(Links, OneRankSendsNothing) {
  EXPECT_EQ(
      traffic_seconds({.collectives = 9, .collective_bytes = 9, .messages = 9, .message_bytes = 9}, {1, 1}, links), 0);
}

TEST(Links, ACollectiveCallDoublesWhatItReaches) {
  EXPECT_EQ(doublings(1), 0);
  EXPECT_EQ(doublings(64), 6);
  EXPECT_EQ(doublings(65), 7);
  EXPECT_NEAR(traffic_seconds({.collectives = 10}, {8, 1}, links), 10 * 3e-6, 1e-15);
  EXPECT_NEAR(traffic_seconds({.collectives = 10}, {32, 4}, links), 10 * (3e-6 + 2e-4), 1e-12);
}

TEST(Links, ItsBytesComeToANodeOnceAndToEachRank) {
  EXPECT_NEAR(traffic_seconds({.collective_bytes = 1'000'000}, {8, 1}, links), 1e-3, 1e-12);
  EXPECT_NEAR(traffic_seconds({.collective_bytes = 1'000'000}, {8, 8}, links), 1e-2, 1e-12);
  EXPECT_NEAR(traffic_seconds({.collective_bytes = 1'000'000}, {32, 4}, links), 1.1e-2, 1e-12);
}

TEST(Links, RanksOfANodeShareItsLinkForSingleMessages) {
  // Two nodes of two ranks: two of the three other ranks are on the other node.
  EXPECT_NEAR(traffic_seconds({.messages = 3}, {4, 2}, links), 1e-6 + 2e-4, 1e-12);
  EXPECT_NEAR(traffic_seconds({.message_bytes = 3'000'000}, {4, 2}, links), 1e-3 + 2 * 2e-2, 1e-12);
}

}  // namespace
}  // namespace cairn::links_test
