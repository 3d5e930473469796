#include "cairn/base/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "test_communicator.hpp"

namespace cairn::schedule_test {
namespace {

using test::world;

// Each row's result is 3 * input + 1; a row takes as long as `microseconds` says.
class TripleWork final : public TileWork {
 public:
  TripleWork(Range own, std::function<double(Index)> microseconds) : own_(own), microseconds_(std::move(microseconds)) {
    for (Index i = own.begin; i < own.end; ++i) input_.push_back(i);
    output.assign(own.size(), -1);
  }

  std::vector<std::byte> pack(const Tile& tile) const override {
    if (!packs) throw Error(ErrorKind::resource, "no memory for the inputs");
    const auto* begin = reinterpret_cast<const std::byte*>(input_.data() + (tile.rows.begin - own_.begin));
    return {begin, begin + tile.rows.size() * static_cast<Index>(sizeof(Index))};
  }
  std::span<std::byte> result(const Tile& tile) override {
    return std::as_writable_bytes(std::span(output).subspan(tile.rows.begin - own_.begin, tile.rows.size()));
  }
  Index result_bytes(const Tile& tile) const override { return tile.rows.size() * static_cast<Index>(sizeof(Index)); }
  void compute(const Tile& tile, std::span<const std::byte> inputs, std::span<std::byte> result) const override {
    if (tile.rows.contains(failing_row)) throw Error(ErrorKind::numeric, "row " + std::to_string(failing_row));
    double pause = 0.0;
    for (Index k = 0; k < tile.rows.size(); ++k) {
      Index value = tile.rows.begin + k;
      if (!inputs.empty())
        std::memcpy(&value, inputs.data() + static_cast<std::size_t>(k) * sizeof value, sizeof value);
      const Index tripled = 3 * value + 1;
      std::memcpy(result.data() + static_cast<std::size_t>(k) * sizeof tripled, &tripled, sizeof tripled);
      pause += microseconds_(tile.rows.begin + k);
    }
    if (pause > 0.0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(pause));
  }

  std::vector<Index> output;
  Index failing_row = -1;
  bool packs = true;

 private:
  Range own_;
  std::vector<Index> input_;
  std::function<double(Index)> microseconds_;
};

std::vector<Tile> own_tiles(Index rows, Index tile_rows) {
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  std::vector<Tile> tiles;
  for (Index begin = own.begin; begin < own.end; begin += tile_rows) {
    tiles.push_back({.id = begin / tile_rows, .rows = {begin, std::min(begin + tile_rows, own.end)}, .cost = 1.0});
  }
  return tiles;
}

void expect_all_tripled(const TripleWork& work, Range own) {
  for (Index i = own.begin; i < own.end; ++i) {
    ASSERT_EQ(work.output[i - own.begin], 3 * i + 1) << "row " << i;
  }
}

TEST(Schedule, EveryTileIsComputedOnceOnAnyNumberOfRanksAndThreads) {
  const Index rows = 1000;
  for (const int threads : {1, 2}) {
    test::Context context;
    context.execution.threads = threads;
    const Range own = RowPartition(rows, world().size()).range(world().rank());
    TripleWork work(own, [](Index) { return 0.0; });
    const auto tiles = own_tiles(rows, 8);
    const TileStatistics statistics = Schedule("triple", tiles, rows / 8).run(context.execution, work);
    expect_all_tripled(work, own);
    EXPECT_EQ(world().sum(statistics.computed), rows / 8);
    EXPECT_EQ(context.ledger.finished(), static_cast<Index>(tiles.size()));
  }
}

TEST(Schedule, RanksWithoutRowsTakePart) {
  test::Context context;
  const Range own = RowPartition(16, world().size()).range(world().rank());  // one unit: all on rank 0
  TripleWork work(own, [](Index) { return 0.0; });
  (void)Schedule("triple", own_tiles(16, 4), 4).run(context.execution, work);
  expect_all_tripled(work, own);
}

// Busy seconds of the slowest rank over their mean, in a loop whose first quarter of rows is 30 times as expensive as
// predicted: if no tile were handed over, rank 0 would do nearly all.
double imbalance_of_uneven_loop() {
  const Index rows = 4096;
  test::Context context;
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  TripleWork work(own, [&](Index i) { return i < rows / 4 ? 900.0 : 30.0; });
  const TileStatistics statistics = Schedule("uneven", own_tiles(rows, 4), rows / 4).run(context.execution, work);
  expect_all_tripled(work, own);
  const Index taken_over = world().sum(statistics.taken_over);
  EXPECT_TRUE(world().size() == 1 || taken_over > 0);
  return world().maximum(statistics.busy_seconds) * world().size() / world().sum(statistics.busy_seconds);
}

// The best of some runs: other programs on the machine can only disturb the balance.
TEST(Schedule, UnevenRowsAreSharedOutWithinFivePercent) {
  double best = imbalance_of_uneven_loop();
  for (int repetition = 0; repetition < 7 && best > 1.05; ++repetition) {
    best = std::min(best, imbalance_of_uneven_loop());
  }
  EXPECT_LE(best, 1.05);
}

// Fills tiles of 2 MB, which takes far less time than to send them.
class FilledWork final : public TileWork {
 public:
  explicit FilledWork(std::size_t tiles) : output_(tiles * bytes) {}
  std::vector<std::byte> pack(const Tile& /*tile*/) const override { return std::vector<std::byte>(1); }
  std::span<std::byte> result(const Tile& tile) override {
    return std::span(output_).subspan(static_cast<std::size_t>(tile.id) * bytes, bytes);
  }
  Index result_bytes(const Tile& /*tile*/) const override { return static_cast<Index>(bytes); }
  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    std::memset(result.data(), static_cast<int>(tile.id), result.size());
  }
  static constexpr std::size_t bytes = std::size_t{2} << 20;

 private:
  std::vector<std::byte> output_;
};

TEST(Schedule, TilesThatAreFasterComputedThanSentStayWhereTheyAre) {
  constexpr Index count = 64;
  std::vector<Tile> own;
  for (Index id = 0; id < count && world().is_root(); ++id)
    own.push_back({.id = id, .rows = {id, id + 1}, .cost = 1.0});
  FilledWork work(own.size());
  test::Context context;
  const TileStatistics done = Schedule("filled", own, count).run(context.execution, work);
  for (const Tile& tile : own) ASSERT_EQ(work.result(tile).back(), static_cast<std::byte>(tile.id));
  // Each other rank is given one share before the first tile is computed: its time is not known before.
  EXPECT_LE(world().sum(done.taken_over), 28);
}

TEST(Schedule, AnErrorInOneTileEndsTheLoopOnAllRanks) {
  const Index rows = 512;
  test::Context context;
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  TripleWork work(own, [](Index) { return 50.0; });
  work.failing_row = rows - 3;
  try {
    (void)Schedule("failing", own_tiles(rows, 2), rows / 2).run(context.execution, work);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "row 509");
  }
  work.failing_row = -1;  // the communicator is clean: the next loop works
  (void)Schedule("after", own_tiles(rows, 2), rows / 2).run(context.execution, work);
  expect_all_tripled(work, own);
}

// A ledger that has every third tile already, with its own bytes.
class ThirdsLedger final : public TileLedger {
 public:
  void begin(const char*, Index) override {}
  bool get(Index tile, std::span<std::byte> bytes) override {
    if (tile % 3 != 0) return false;
    std::memset(bytes.data(), 0x7f, bytes.size());
    return true;
  }
  void put(Index tile, std::span<const std::byte>) override { put_tiles.push_back(tile); }
  std::vector<Index> put_tiles;
};

TEST(Schedule, TilesInTheLedgerAreNotComputedAgain) {
  const Index rows = 960;
  Phases phases;
  ThirdsLedger ledger;
  const Execution execution{world(), phases, ledger};
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  TripleWork work(own, [](Index) { return 0.0; });
  const TileStatistics statistics = Schedule("restored", own_tiles(rows, 8), rows / 8).run(execution, work);
  EXPECT_EQ(world().sum(statistics.restored), 40);
  EXPECT_EQ(world().sum(statistics.computed), 80);
  for (const Index tile : ledger.put_tiles) EXPECT_NE(tile % 3, 0);
  for (Index i = own.begin; i < own.end; ++i) {
    const Index expected = i / 8 % 3 == 0 ? 0x7f7f7f7f7f7f7f7f : 3 * i + 1;
    ASSERT_EQ(work.output[i - own.begin], expected) << "row " << i;
  }
}

// A ledger whose disk is full on one rank.
class FullLedger final : public TileLedger {
 public:
  void begin(const char*, Index) override {}
  bool get(Index, std::span<std::byte>) override { return false; }
  void put(Index, std::span<const std::byte>) override {
    if (world().rank() == world().size() - 1 && ++puts == 3) throw Error(ErrorKind::resource, "the disk is full");
  }
  int puts = 0;
};

TEST(Schedule, ALedgerThatFailsOnOneRankEndsTheLoopOnAll) {
  const Index rows = 4096;
  Phases phases;
  FullLedger ledger;
  const Execution execution{world(), phases, ledger};
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  TripleWork work(own, [](Index) { return 20.0; });
  try {
    (void)Schedule("full", own_tiles(rows, 4), rows / 4).run(execution, work);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_STREQ(error.what(), "the disk is full");
  }
}

// Tiles whose inputs cannot be packed for another rank.
TEST(Schedule, InputsThatCannotBePackedEndTheLoopOnAllRanks) {
  const Index rows = 1024;
  test::Context context;
  const Range own = RowPartition(rows, world().size()).range(world().rank());
  TripleWork work(own, [&](Index i) { return i < rows / world().size() ? 400.0 : 1.0; });
  work.packs = false;
  const auto run = [&] { (void)Schedule("unpackable", own_tiles(rows, 4), rows / 4).run(context.execution, work); };
  if (world().size() == 1) {
    run();
  } else {
    EXPECT_THROW(run(), Error);
  }
}

}  // namespace
}  // namespace cairn::schedule_test
