// Scratch tiles come back as they were put, leave nothing behind, and say that the disk is full.
#include "cairn/store/checkpoint/scratch_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <optional>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "sample_result.hpp"

namespace cairn::test::scratch_tiles_test {
namespace {

std::vector<std::byte> sample(Index tile, std::size_t size) {
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < size; ++k)
    bytes.push_back(static_cast<std::byte>(static_cast<std::size_t>(tile) * 31 + k));
  return bytes;
}

TEST(ScratchTiles, GiveBackWhatWasPutLast) {
  const TemporaryFolder folder;
  ScratchTiles scratch(folder.path(), 1000);
  std::vector<std::byte> bytes(100);
  EXPECT_FALSE(scratch.get(3, bytes));
  for (const Index tile : {7, 3, 0}) scratch.put(tile, sample(tile, 100));
  scratch.put(3, sample(9, 100));
  for (const Index tile : {0, 3, 7}) {
    ASSERT_TRUE(scratch.get(tile, bytes));
    EXPECT_EQ(bytes, sample(tile == 3 ? 9 : tile, 100));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(ScratchTiles, GrowBeyondWhatWasTakenAtFirst) {
  const TemporaryFolder folder;
  ScratchTiles scratch(folder.path(), 0);
  scratch.put(5, sample(5, 100'000));
  std::vector<std::byte> bytes(100'000);
  ASSERT_TRUE(scratch.get(5, bytes));
  EXPECT_EQ(bytes, sample(5, 100'000));
}

std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    collectively(world(), work);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

TEST(ScratchTiles, NeedAFolderThatExists) {
  const auto error = error_of([] { const ScratchTiles scratch("/no/such/folder", 10); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_THAT(error->what(), testing::HasSubstr("/no/such/folder"));
}

// Before the first tile where the size is known, else if a tile has no room; all ranks leave together.
TEST(ScratchTiles, SayThatTheDiskIsFull) {
  const TemporaryFolder folder;
  int mounted = 0;
  if (world().is_root()) mounted = ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=512k") == 0 ? 1 : 0;
  world().broadcast(std::span(&mounted, 1), 0);
  if (mounted == 0) GTEST_SKIP() << "a small disk takes the right to mount one: run it as root";
  for (const Index bytes : {Index{1} << 20, Index{0}}) {
    const auto error = error_of([&] {
      ScratchTiles scratch(folder.path(), bytes);
      for (Index tile = 0; tile < 11; ++tile) scratch.put(tile, sample(tile, 100'000));
    });
    EXPECT_TRUE(error && error->kind() == ErrorKind::resource) << bytes;
    EXPECT_THAT(error ? error->what() : "", testing::HasSubstr(folder.path()));
    world().barrier();
  }
  EXPECT_TRUE(folder.names().empty());
  world().barrier();
  if (world().is_root()) ::umount(folder.path().c_str());
}

}  // namespace
}  // namespace cairn::test::scratch_tiles_test
