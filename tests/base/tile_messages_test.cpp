#include "cairn/base/schedule/tile_messages.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "cairn/base/error.hpp"
#include "test_communicator.hpp"

namespace cairn::detail {
namespace {

using test::world;

constexpr Index large = Index{8} << 20;  // more than MPI sends before it is received

std::vector<std::byte> bytes_of(Index size) { return std::vector<std::byte>(static_cast<std::size_t>(size)); }

// Waits some seconds at most. @return whether `arrived`
template <class Arrived>
bool wait_for(Arrived arrived) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!arrived()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Rank 1 receives nothing before rank 0 says, on another communicator, that it has left.
TEST(TileMessages, AnExceptionDoesNotWaitForWhatNobodyReceives) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has nobody to send messages to; 2 ranks and more run it";
  constexpr int tag = 1;
  if (world().rank() == 0) {
    try {
      TileMessages messages(world());
      messages.send_result(1, Tile{}, true, bytes_of(large));
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
      MPI_Send(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    }
  } else if (world().rank() == 1) {
    int left = 0;
    EXPECT_TRUE(wait_for([&] {
      MPI_Iprobe(0, tag, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
      return left != 0;
    })) << "rank 0 waits in a destructor";
    TileMessages messages(world());
    EXPECT_TRUE(wait_for([&] { return messages.receive().has_value(); })) << "the buffer is gone";
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  world().barrier();
}

// An exception that was under way before is no reason not to wait.
TEST(TileMessages, AnOrdinaryEndWaitsUntilAllIsSent) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has nobody to send messages to; 2 ranks and more run it";
  if (world().rank() == 0) {
    TileMessages messages(world());
    messages.send_result(1, Tile{.id = 7}, true, bytes_of(large));
  } else if (world().rank() == 1) {
    TileMessages messages(world());
    std::optional<TileMessage> message;
    ASSERT_TRUE(wait_for([&] { return (message = messages.receive()).has_value(); }));
    const auto result = TileMessages::unpack_result(message->bytes);
    EXPECT_EQ(result.tile, 7);
    EXPECT_EQ(static_cast<Index>(result.bytes.size()), large);
  }
  world().barrier();
}

}  // namespace
}  // namespace cairn::detail
