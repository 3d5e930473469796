#include <gtest/gtest.h>

#include "cairn/base/buffer.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "test_communicator.hpp"

namespace cairn::large_transfer_test {
namespace {

using test::world;

constexpr Index count = (Index{1} << 31) + 1000;  // elements: more than an MPI count holds

TEST(LargeTransfer, BroadcastOfMoreThanTwoToThe31Elements) {
  Buffer<std::uint8_t> values(count);
  for (Index i = 0; i < count; ++i) values[i] = world().is_root() ? static_cast<std::uint8_t>(i % 251) : 0;
  world().broadcast(values.span(), 0);
  Index wrong = 0;
  for (Index i = 0; i < count; ++i) wrong += values[i] != static_cast<std::uint8_t>(i % 251);
  EXPECT_EQ(wrong, 0);
}

TEST(LargeTransfer, ExchangeOfMoreThanTwoToThe31Elements) {
  std::vector<std::vector<std::uint8_t>> send(world().size());
  const int to = (world().rank() + 1) % world().size();
  const bool sends = world().is_root();
  auto& part = send[to];
  if (sends) {
    part.resize(count);
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::uint8_t>(i % 253);
  }
  const auto received = world().exchange(send);
  const int from = (world().rank() + world().size() - 1) % world().size();
  const auto& got = received[from];
  ASSERT_EQ(got.size(), from == 0 ? static_cast<std::size_t>(count) : 0U);
  Index wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != static_cast<std::uint8_t>(i % 253);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cairn::large_transfer_test
