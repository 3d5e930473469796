// One rank without memory for what others send: all ranks learn of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "test_communicator.hpp"

namespace {

constexpr std::size_t large = std::size_t{1} << 20;
bool refuses_large = false;

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = refuses_large && size >= large ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace cairn::short_memory_test {
namespace {

using test::world;

// While it lives, the last rank has no large blocks.
class ShortMemory {
 public:
  ShortMemory() { refuses_large = world().rank() == world().size() - 1; }
  ~ShortMemory() { refuses_large = false; }
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;
};

template <class Call>
void expect_refused_by_all(Call call) {
  const ShortMemory short_memory;
  try {
    call();
    ADD_FAILURE() << "no error on rank " << world().rank();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
  }
}

TEST(ShortMemory, OfOneRankEndsAGatherOnAll) {
  const std::vector<double> mine(large / sizeof(double), 1.0);
  expect_refused_by_all([&] { static_cast<void>(world().all_gather(mine)); });
  EXPECT_EQ(world().sum(1), world().size());  // the next message meets no remains of the last
}

TEST(ShortMemory, OfOneRankEndsAnExchangeOnAll) {
  const auto ranks = static_cast<std::size_t>(world().size());
  const std::vector<std::vector<double>> send(ranks, std::vector<double>(large / sizeof(double), 1.0));
  expect_refused_by_all([&] { static_cast<void>(world().exchange(send)); });
  EXPECT_EQ(world().exchange(send).size(), ranks);
}

TEST(ShortMemory, OfOneRankEndsABroadcastOnAll) {
  std::vector<double> values(world().is_root() ? large : 0);
  if (world().size() == 1) return;  // nothing arrives
  expect_refused_by_all([&] { world().broadcast(values, 0); });
}

}  // namespace
}  // namespace cairn::short_memory_test
