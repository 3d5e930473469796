// run.checkpoint: what a run stores while it computes, and from which it is resumed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"

namespace cairn {

/// Benefit and cost of run.checkpoint, over all ranks.
struct CheckpointSummary {
  Index earlier_runs = 0;  ///< stopped runs before this one
  Index restored_tiles = 0, written_tiles = 0, written_bytes = 0;
  Index damages = 0;     ///< unusable parts of it
  double seconds = 0.0;  ///< time for reading and writing it, maximum over ranks
};

/// Called on each rank when a loop of tiles begins, and after each of its tiles on this rank. @param loop  its name
/// @param finished  tiles of this rank so far @param tiles  of all ranks. An exception after a tile ends the
/// computation on all ranks; with finished = 0 it must not throw.
using TileWatch = std::function<void(const char* loop, Index finished, Index tiles)>;

/// A ledger that stores nothing until it is given a checkpoint.
class RunLedger final : public TileLedger {
 public:
  explicit RunLedger(TileWatch watch = {}) : watch_(std::move(watch)) {}

  /// From now on, finished tiles go into `checkpoint`.
  void keep_in(Checkpoint& checkpoint) { target_ = &checkpoint; }
  /// From now on, they are discarded again.
  void forget() { target_ = &nothing_; }

  void begin(const char* name, Index tiles) override {
    target_->begin(name, tiles);
    name_ = name, finished_ = 0, tiles_ = tiles;
    look();
  }
  bool get(Index tile, std::span<std::byte> bytes) override {
    const bool there = target_->get(tile, bytes);
    if (there) ++finished_;
    return there;
  }
  void put(Index tile, std::span<const std::byte> bytes) override {
    target_->put(tile, bytes);
    ++finished_;
    look();
  }
  bool due(double begun) override { return target_->due(begun); }
  void keep(Index tile, std::span<const std::byte> bytes) override { target_->keep(tile, bytes); }
  void settle() override { target_->settle(); }

 private:
  void look() const {
    if (watch_) watch_(name_.c_str(), finished_, tiles_);
  }

  TileWatch watch_;
  std::string name_{};  // of the loop
  Index finished_ = 0, tiles_ = 0;
  MemoryLedger nothing_;
  TileLedger* target_ = &nothing_;
};

/// The checkpoint of a run, attached to its ledger during its lifetime.
class RunCheckpoint {
 public:
  /// @param version  of the program: checkpoints of other versions are refused @param start  of the run
  /// @param digest  of the data @param selection  of landmarks, whose default may differ from that of the key; empty:
  /// none
  /// @throws as Checkpoint's constructor. Collective.
  RunCheckpoint(const Communicator& communicator, const Settings& settings, RunLedger& ledger,
                const std::string& version, std::chrono::steady_clock::time_point start, std::uint64_t digest,
                const std::string& selection);
  ~RunCheckpoint() { ledger_.forget(); }
  RunCheckpoint(const RunCheckpoint&) = delete;
  RunCheckpoint& operator=(const RunCheckpoint&) = delete;

  /// True if --restart was given, but there is nothing to resume.
  [[nodiscard]] bool restarts_from_nothing() const { return restart_ && checkpoint_.earlier_runs() == 0; }
  /// Metrics over all ranks. Collective.
  [[nodiscard]] CheckpointSummary summary(const Communicator& communicator) const;
  /// Flushes the finished tiles of this rank. Local.
  void flush() { checkpoint_.flush(); }
  /// Removes its files because the run is finished. Collective.
  void remove() { checkpoint_.remove(); }

 private:
  RunLedger& ledger_;
  bool restart_;
  Checkpoint checkpoint_;
};

/// The checkpoint at run.checkpoint; null if the key is not given. @throws as RunCheckpoint. Collective.
[[nodiscard]] std::unique_ptr<RunCheckpoint> make_checkpoint(const Communicator& communicator, const Settings& settings,
                                                             RunLedger& ledger, const std::string& version,
                                                             std::chrono::steady_clock::time_point start,
                                                             std::uint64_t digest, const std::string& selection = {});

/// @throws Error(usage) if keys of a checkpoint are given without a checkpoint. Local.
void refuse_unused_checkpoint_keys(const Settings& settings);

/// Call it before any work. @throws Error(usage) if a checkpoint exists but must not be resumed. Collective.
void require_usable_checkpoint(const Communicator& communicator, const Settings& settings);

/// Message that run.checkpoint has nothing to resume. Local.
[[nodiscard]] std::string no_checkpoint(const Settings& settings);

/// Returns the value of `work`. If the run is stopped, each rank first flushes its finished tiles. Collective.
template <class Work>
auto to_the_end_or_a_stop(const Communicator& communicator, RunCheckpoint* checkpoint, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    if (checkpoint != nullptr && error.kind() == ErrorKind::interrupted)
      collectively(communicator, [&] { checkpoint->flush(); });
    throw;
  }
}

}  // namespace cairn
