#include "cairn/base/mpi/communicator.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "cairn/base/mpi/traffic.hpp"
#include "test_communicator.hpp"

namespace cairn::communicator_test {
namespace {

using test::world;

TEST(Communicator, BroadcastGivesTheRootsValuesToAll) {
  std::vector<double> values(world().is_root() ? 3U : 0U, 2.5);
  world().broadcast(values, 0);
  EXPECT_EQ(values, std::vector<double>(3, 2.5));

  std::string text = world().rank() == world().size() - 1 ? "from the last rank" : "";
  world().broadcast(text, world().size() - 1);
  EXPECT_EQ(text, "from the last rank");
}

TEST(Communicator, ReductionsGoOverAllRanks) {
  const int p = world().size();
  EXPECT_EQ(world().sum(Index{world().rank() + 1}), Index{p} * (p + 1) / 2);
  EXPECT_EQ(world().maximum(world().rank()), p - 1);
  EXPECT_EQ(world().minimum(-1.5 * world().rank()), -1.5 * (p - 1));
}

TEST(Communicator, AllGatherKeepsRankOrderWithUnequalParts) {
  const std::vector<Index> mine(world().rank(), world().rank());
  const std::vector<Index> all = world().all_gather(mine);
  std::vector<Index> expected;
  for (int r = 0; r < world().size(); ++r) expected.insert(expected.end(), static_cast<std::size_t>(r), r);
  EXPECT_EQ(all, expected);
}

TEST(Communicator, ExchangeDeliversEachPartToItsRank) {
  const int p = world().size();
  std::vector<std::vector<int>> send(p);
  for (int to = 0; to < p; ++to) send[to].assign(to, world().rank() * 100 + to);
  const auto received = world().exchange(send);
  ASSERT_EQ(received.size(), static_cast<std::size_t>(p));
  for (int from = 0; from < p; ++from) {
    const std::vector<int> expected(world().rank(), from * 100 + world().rank());
    EXPECT_EQ(received[from], expected);
  }
}

// One name where all run on one host; tests/hosts runs it on two.
// What `work` adds to the counts.
template <class Work>
Traffic counted(const Work& work) {
  const Traffic before = traffic();
  work();
  return traffic() - before;
}

TEST(Communicator, CallsAndBytesBetweenRanksAreCounted) {
  const Index ranks = world().size(), others = ranks - 1, calls = ranks > 1 ? 1 : 0;
  std::vector<double> values(100, 1.0);
  const Traffic broadcast = counted([&] { world().broadcast(std::span(values), 0); });
  EXPECT_EQ(broadcast.collectives, calls);
  EXPECT_EQ(broadcast.collective_bytes, 800 * calls);
  const Traffic sum = counted([&] { world().sum(std::span(values)); });
  EXPECT_EQ(sum.collective_bytes, 2 * 800 * calls);
  const Traffic gathered = counted([&] { static_cast<void>(world().all_gather(values)); });
  EXPECT_EQ(gathered.collectives, 2 * calls);  // sizes go first
  EXPECT_EQ(gathered.collective_bytes, others * (8 + 800));
  std::vector<std::vector<double>> send(static_cast<std::size_t>(ranks));
  send[static_cast<std::size_t>((world().rank() + 1) % ranks)] = values;
  const Traffic exchanged = counted([&] { static_cast<void>(world().exchange(send)); });
  EXPECT_EQ(exchanged.messages, calls);
  EXPECT_EQ(exchanged.message_bytes, 800 * calls);
  EXPECT_GE(exchanged.seconds, 0);
}

TEST(Communicator, ANodeHoldsTheRanksOfOneHost) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::vector<std::array<char, 256>> names = world().all_gather_one(name);
  EXPECT_EQ(world().node().size(), std::count(names.begin(), names.end(), name));
}

}  // namespace
}  // namespace cairn::communicator_test
