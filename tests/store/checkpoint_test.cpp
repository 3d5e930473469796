// Tiles outlive the run, on any number of ranks; what is damaged is named, and only that is lost.
#include "cairn/store/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cairn/base/error.hpp"
#include "cairn/base/process/interruption.hpp"
#include "cairn/store/checkpoint/checkpoint_segment.hpp"
#include "sample_result.hpp"

namespace cairn::test::checkpoint_test {
namespace {

using testing::HasSubstr;

constexpr Index tiles = 24;
const RunIdentity identity{{"version", "1"}, {"landmarks.count", "100"}};

std::vector<std::byte> sample(Index tile) {
  std::vector<std::byte> bytes;
  for (Index k = 0; k < 100 + tile; ++k) bytes.push_back(static_cast<std::byte>(tile * 31 + k));
  return bytes;
}

// Each rank puts the tiles from `first` on that are its own, of two loops.
void put_tiles(const Communicator& communicator, const std::string& path, bool restart, Index first, Index end) {
  Checkpoint checkpoint(communicator, {.path = path, .restart = restart}, identity);
  for (const char* loop : {"columns", "probe"}) {
    checkpoint.begin(loop, tiles);
    for (Index tile = first; tile < end; ++tile) {
      if (tile % communicator.size() == communicator.rank()) checkpoint.put(tile, sample(tile));
    }
  }
  communicator.barrier();  // what comes next finds all tiles
}

// The tiles of a loop that a run that goes on finds.
std::vector<Index> found_tiles(Checkpoint& checkpoint, const char* loop) {
  std::vector<Index> found;
  checkpoint.begin(loop, tiles);
  for (Index tile = 0; tile < tiles; ++tile) {
    std::vector<std::byte> bytes(sample(tile).size());
    if (!checkpoint.get(tile, bytes)) continue;
    EXPECT_EQ(bytes, sample(tile));
    found.push_back(tile);
  }
  return found;
}

std::vector<Index> all_tiles() {
  std::vector<Index> all;
  for (Index tile = 0; tile < tiles; ++tile) all.push_back(tile);
  return all;
}

std::optional<Error> error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Changes a byte of a file, on one rank.
void damage(const std::string& path, std::streamoff offset) {
  if (world().is_root()) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char byte = static_cast<char>(file.get() ^ 0x55);
    file.seekp(offset);
    file.put(byte);
  }
  world().barrier();
}

// Of rank 0 in the first run.
std::string segment_of(const std::string& path) {
  const std::string begin = std::filesystem::path(path).filename().string() + ".segment-0-0.";
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    if (entry.path().filename().string().starts_with(begin)) return entry.path().string();
  }
  return "no segment of " + path;
}

TEST(Checkpoint, GivesBackTheTilesOfAllRanksAndRuns) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, 10);
  put_tiles(world(), path, true, 10, 15);
  Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
  EXPECT_EQ(checkpoint.earlier_runs(), 2);
  std::vector<Index> expected = all_tiles();
  expected.resize(15);
  for (const char* loop : {"columns", "probe"}) EXPECT_EQ(found_tiles(checkpoint, loop), expected);
  EXPECT_TRUE(found_tiles(checkpoint, "another loop").empty());
  EXPECT_EQ(checkpoint.metrics().restored_tiles, 30);
  EXPECT_TRUE(checkpoint.metrics().notes.empty());
}

TEST(Checkpoint, TakesNothingOfSegmentsThatAnotherCheckpointLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, tiles);
  world().barrier();
  if (world().is_root()) {  // all but the segments
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".previous");
  }
  world().barrier();
  for (const bool restart : {false, true}) {
    Checkpoint checkpoint(world(), {.path = path, .restart = restart}, identity);
    EXPECT_TRUE(found_tiles(checkpoint, "columns").empty());
  }
}

// The hash of loop and tile is one of their sum: two tiles may have the same.
TEST(Checkpoint, TellsTilesApartWhoseHashesAreTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  constexpr Index first = 3;
  const auto second = static_cast<Index>(loop_id("columns") + first - loop_id("probe"));
  const std::vector<std::byte> of_first(64, std::byte{1}), of_second(64, std::byte{2});
  std::vector<std::byte> bytes(64);
  for (const bool both : {false, true}) {
    {
      Checkpoint checkpoint(world(), {.path = path, .restart = both}, identity);
      checkpoint.begin(both ? "probe" : "columns", tiles);
      if (world().is_root()) checkpoint.put(both ? second : first, both ? of_second : of_first);
    }
    world().barrier();
    Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
    checkpoint.begin("probe", tiles);
    EXPECT_EQ(checkpoint.get(second, bytes), both);
    if (both) EXPECT_EQ(bytes, of_second);
    checkpoint.begin("columns", tiles);
    ASSERT_TRUE(checkpoint.get(first, bytes));
    EXPECT_EQ(bytes, of_first);
    EXPECT_TRUE(checkpoint.metrics().notes.empty());
  }
}

TEST(Checkpoint, GoesOnOnAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, tiles);
  if (world().is_root()) {
    const Communicator alone(MPI_COMM_SELF);
    Checkpoint checkpoint(alone, {.path = path, .restart = true}, identity);
    EXPECT_EQ(found_tiles(checkpoint, "probe"), all_tiles());
  }
  world().barrier();
}

TEST(Checkpoint, LosesADamagedTileAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, tiles);
  damage(segment_of(path), 200);  // inside the first tile, after two headers
  Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
  const auto found = found_tiles(checkpoint, "columns");
  EXPECT_EQ(found.size(), static_cast<std::size_t>(tiles - 1));
  EXPECT_EQ(std::ranges::count(found, 0), 0);
  EXPECT_EQ(found_tiles(checkpoint, "probe"), all_tiles());
  ASSERT_EQ(checkpoint.metrics().notes.size(), 1U);
  EXPECT_THAT(checkpoint.metrics().notes.front(), HasSubstr("tile 0 of 'columns' is damaged"));
}

TEST(Checkpoint, FindsWhatIsBehindADamagedHeader) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, tiles);
  damage(segment_of(path), 60);  // of the second record's header: the first tile's
  Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
  EXPECT_EQ(found_tiles(checkpoint, "columns").size(), static_cast<std::size_t>(tiles - 1));
  EXPECT_EQ(found_tiles(checkpoint, "probe"), all_tiles());
  EXPECT_EQ(world().sum(static_cast<Index>(checkpoint.metrics().notes.size())), 1);
}

TEST(Checkpoint, PassesOverATileThatWasCutOff) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, tiles);
  if (world().is_root()) {
    const std::string segment = segment_of(path);
    std::filesystem::resize_file(segment, std::filesystem::file_size(segment) - 7);
  }
  world().barrier();
  Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
  EXPECT_EQ(found_tiles(checkpoint, "columns"), all_tiles());
  EXPECT_EQ(found_tiles(checkpoint, "probe").size(), static_cast<std::size_t>(tiles - 1));
  EXPECT_TRUE(checkpoint.metrics().notes.empty());
}

TEST(Checkpoint, TakesThePreviousManifestWhereTheLastIsDamaged) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, 10);
  put_tiles(world(), path, true, 10, tiles);
  damage(path, 30);
  {
    Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
    EXPECT_EQ(found_tiles(checkpoint, "columns"), all_tiles()) << "the last run's segments are found by their names";
    EXPECT_EQ(world().sum(static_cast<Index>(checkpoint.metrics().notes.size())), 1);
  }
  damage(path, 30);
  damage(path + ".previous", 30);
  const auto error = error_of([&] { const Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::input);
  EXPECT_THAT(error->what(), HasSubstr("damaged"));
}

TEST(Checkpoint, RefusesAnotherRunAndOneThatIsNotGoneOnWith) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, 10);
  const auto unasked = error_of([&] { const Checkpoint checkpoint(world(), {.path = path}, identity); });
  ASSERT_TRUE(unasked);
  EXPECT_EQ(unasked->kind(), ErrorKind::usage);
  EXPECT_THAT(unasked->what(), HasSubstr("--restart"));
  RunIdentity other = identity;
  other["landmarks.count"] = "200";
  const auto another = error_of([&] { const Checkpoint checkpoint(world(), {.path = path, .restart = true}, other); });
  ASSERT_TRUE(another);
  EXPECT_EQ(another->kind(), ErrorKind::input);
  EXPECT_THAT(another->what(), HasSubstr("landmarks.count was 100 and is 200"));
}

TEST(Checkpoint, StopsWhereAskedAndHasTheTile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  {
    Checkpoint checkpoint(world(), {.path = path}, identity);
    checkpoint.begin("columns", tiles);
    request_stop("a test");
    const auto error = error_of([&] { checkpoint.put(3, sample(3)); });
    forget_stop_request();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->exit_code(), 75);
    EXPECT_THAT(error->what(), HasSubstr("stopped by a test during 'columns'"));
  }
  world().barrier();
  Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
  EXPECT_THAT(found_tiles(checkpoint, "columns"), testing::ElementsAre(3));
}

TEST(Checkpoint, StopsBeforeItsTimeIsOver) {
  const TemporaryFolder folder;
  Checkpoint checkpoint(world(), {.path = folder.path() + "/ck", .stop_at = std::chrono::steady_clock::now()},
                        identity);
  checkpoint.begin("columns", tiles);
  const auto error = error_of([&] { checkpoint.put(0, sample(0)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::interrupted);
  EXPECT_THAT(error->what(), HasSubstr("the time limit"));
}

TEST(Checkpoint, TellsHowFarItIsAndIsRemoved) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck";
  put_tiles(world(), path, false, 0, 10);
  world().barrier();
  EXPECT_TRUE(is_checkpoint(path));
  const CheckpointContents contents = read_checkpoint(path);
  EXPECT_EQ(contents.identity, identity);
  EXPECT_EQ(contents.runs, 1);
  ASSERT_EQ(contents.loops.size(), 2U);
  EXPECT_EQ(contents.loops[0].name, "columns");
  EXPECT_EQ(contents.loops[0].tiles, tiles);
  EXPECT_EQ(contents.loops[0].finished, 10);
  world().barrier();
  {
    Checkpoint checkpoint(world(), {.path = path, .restart = true}, identity);
    checkpoint.remove();
    world().barrier();
    EXPECT_EQ(folder.names(), std::vector<std::string>{"ck.lock"});
    world().barrier();  // before the first rank removes it
  }
  world().barrier();
  EXPECT_TRUE(folder.names().empty());
  EXPECT_FALSE(is_checkpoint(path));
}

TEST(Checkpoint, IsToldByItsFirstLineWhereItIsDamaged) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/ck." + std::to_string(world().rank());
  std::ofstream(path) << "cairn checkpoint 1\nid = 1\nchecksum = 0\n";
  EXPECT_TRUE(is_checkpoint(path));
  EXPECT_THROW((void)read_checkpoint(path), Error);
  std::ofstream(path) << "cairn, no checkpoint\n";
  EXPECT_FALSE(is_checkpoint(path));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_FALSE(is_checkpoint(path));
  EXPECT_THROW((void)scan_segment(path), Error);
  world().barrier();
}

}  // namespace
}  // namespace cairn::test::checkpoint_test
