#include "cairn/base/mpi/node_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/abort.hpp"
#include "test_communicator.hpp"

namespace cairn::node_array_test {
namespace {

using test::world;

TEST(NodeArray, IsOneForTheRanksOfANode) {
  NodeArray<double> array(world(), 1000);
  if (array.node().is_root()) {
    for (std::size_t i = 0; i < 1000; ++i) array.writable()[i] = static_cast<double>(i);
  }
  array.publish();
  for (Index i = 0; i < 1000; ++i) ASSERT_EQ(array[i], static_cast<double>(i));
}

TEST(NodeArray, HoldsTheValuesOfAllRanksInTheirOrder) {
  const std::vector<Index> mine(static_cast<std::size_t>(world().rank()) + 1, world().rank());
  const NodeArray<Index> array = replicate_on_nodes(world(), std::span<const Index>(mine));
  Index place = 0;
  for (int r = 0; r < world().size(); ++r) {
    for (int k = 0; k <= r; ++k) ASSERT_EQ(array[place++], r);
  }
  EXPECT_EQ(array.size(), place);
}

// The first rank of the node alone asks the system for memory: the others must not wait for it, and all go on after.
TEST(NodeArray, ANodeWithoutRoomIsAnErrorOfEveryRank) {
  if (world().size() == 1) GTEST_SKIP() << "a rank alone on its node shares nothing; 2 ranks and more run it";
  constexpr Index bytes = Index{1} << 50;
  try {
    const NodeArray<char> array(world(), bytes);
    FAIL() << "there is room for " << bytes << " bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    const std::string message = error.what();
    EXPECT_NE(message.find(std::to_string(bytes) + " bytes: "), std::string::npos) << message;
  }
  const NodeArray<char> small(world(), 10);
  EXPECT_EQ(small.size(), 10);
}

// One node of several is short of room; here it is a part of the ranks that asks for too much.
TEST(NodeArray, RanksThatCouldHaveTheirsLearnOfAnothersError) {
  if (world().size() == 1) GTEST_SKIP() << "a rank alone on its node shares nothing; 2 ranks and more run it";
  EXPECT_THROW(NodeArray<char>(world(), world().is_root() ? Index{1} << 50 : 10), Error);
}

static_assert(!std::is_copy_constructible_v<NodeArray<double>> && !std::is_copy_assignable_v<NodeArray<double>>,
              "the end of a handle is collective: a copy must be asked for by name");
static_assert(std::is_nothrow_move_constructible_v<NodeArray<double>> &&
              std::is_nothrow_move_assignable_v<NodeArray<double>>);

TEST(NodeArray, AHandleThatWasMovedFromIsEmptyAndASharedOneHoldsTheMemory) {
  const std::vector<Index> mine{world().rank()};
  NodeArray<Index> array = replicate_on_nodes(world(), std::span<const Index>(mine));
  NodeArray<Index> moved = std::move(array);
  EXPECT_TRUE(array.empty());  // NOLINT(bugprone-use-after-move): it is defined
  EXPECT_TRUE(array.values().empty());
  const NodeArray<Index> shared = moved.share();
  EXPECT_EQ(shared.values().data(), moved.values().data());
  moved = NodeArray<Index>();
  ASSERT_EQ(shared.size(), world().size());
  for (int r = 0; r < world().size(); ++r) EXPECT_EQ(shared[r], r);
}

TEST(NodeArray, ArraysOfACommunicatorShareTheirNodeWhichOutlivesIt) {
  auto own = std::make_unique<const Communicator>(world().handle());
  NodeArray<Index> first(*own, 3);
  const NodeArray<Index> second(*own, 4);
  EXPECT_EQ(first.node().handle(), second.node().handle());
  EXPECT_EQ(&first.node(), &own->node());
  own.reset();
  if (first.node().is_root()) std::ranges::fill(first.writable(), Index{7});
  first.publish();
  EXPECT_EQ(first[2], 7);
}

// On the way out of an error that all ranks have, arrays are freed; where ranks are at different arrays, none waits for
// the other's.
TEST(NodeArray, RanksThatLeaveDifferentArraysAreNotTogether) {
  EXPECT_TRUE(all_leave_together(world(), 5));
  EXPECT_TRUE(all_leave_together(world(), 6));
  const bool together = all_leave_together(world(), world().rank());
  EXPECT_EQ(together, world().size() == 1);
}

}  // namespace
}  // namespace cairn::node_array_test
