// Finished tiles on disk: what a run that was stopped goes on from.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// What a checkpoint is of, by name: the program's version, the data's digest, the keys of the config that matter. A
/// run goes on from a checkpoint only where all of them are the same.
using RunIdentity = std::map<std::string, std::string>;

/// How far a loop is.
struct LoopProgress {
  std::string name;
  Index tiles = 0, finished = 0;
};

/// What a checkpoint cost, or gave, on this rank.
struct CheckpointFigures {
  Index restored_tiles = 0, restored_bytes = 0;
  Index written_tiles = 0, written_bytes = 0;
  double seconds = 0.0;                 ///< inside put() and get()
  std::vector<std::string> notes = {};  ///< damaged parts that were found, by file and place
};

/// The TileLedger on disk. At `path` a manifest, the one before it at `path`.previous; beside them the segments
/// `path`.segment-R-K of rank K in the R-th run, to which that rank alone appends, and which nobody changes afterwards.
/// Every tile is written once and has a checksum; each rank flushes its segment to the disk when `interval` has passed
/// since it last did. A tile that is damaged, or was cut off where a rank was killed, is as one that was never there.
///
/// One run at a time works on it (CheckpointLock): `path`.lock tells which.
///
/// Where a stop was requested (base/interruption.hpp), or `stop_at` comes near, put() and settle() flush and throw:
/// then the loop ends on all ranks.
class Checkpoint final : public TileLedger {
 public:
  struct Options {
    std::string path;
    bool restart = false;  ///< goes on from what is there; else there must be nothing
    std::chrono::duration<double> interval{600.0};
    std::chrono::steady_clock::time_point stop_at = std::chrono::steady_clock::time_point::max();
    KeyNames keys{};  ///< of the path (checkpoint) and of the time to stop (max-time)

    /// What messages say of both.
    [[nodiscard]] std::string path_name() const { return keys("checkpoint", "the path of the checkpoint"); }
    [[nodiscard]] std::string time_name() const { return keys("max-time", "the time limit"); }
  };

  /// @throws Error(usage) if another run works on it, there is a checkpoint and no restart, or the folder cannot be
  /// written, Error(input)
  /// where a checkpoint is of another run (says in what they differ) or both manifests are damaged. Collective;
  /// `communicator` must outlive it. Memory: about 80 bytes a tile of the runs before.
  Checkpoint(const Communicator& communicator, Options options, const RunIdentity& identity);
  ~Checkpoint() override;
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  void begin(const char* name, Index tiles) override;
  bool get(Index tile, std::span<std::byte> bytes) override;
  /// @throws Error(interrupted) if the run is to stop, Error(resource) if the disk fails
  void put(Index tile, std::span<const std::byte> bytes) override;
  /// True if the run is to stop, and where `interval` and a quarter of the time since the loop began have passed
  /// since it last was: what is kept of such a loop does not grow beyond some times its result.
  bool due(double begun) override;
  /// @throws Error(resource) if the disk fails
  void keep(Index tile, std::span<const std::byte> bytes) override;
  /// @throws Error(interrupted) if the run is to stop, Error(resource) if the disk fails
  void settle() override;

  /// Flushes this rank's segment to the disk. @throws Error(resource). Local.
  void flush();
  /// Removes manifest and segments: the run is finished. What became another run's stays, with a warning. Collective.
  void remove();

  /// The runs that were stopped before this one.
  [[nodiscard]] Index earlier_runs() const;
  [[nodiscard]] const CheckpointFigures& figures() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// What is in a checkpoint.
struct CheckpointContents {
  RunIdentity identity;
  Index runs = 0;
  Index bytes = 0;
  std::vector<LoopProgress> loops;      ///< in the order in which they were begun
  std::vector<std::string> notes = {};  ///< of damaged parts
};

/// @throws Error(usage) if there is a checkpoint at `path`: a new one must not replace it. Local.
void refuse_existing_checkpoint(const std::string& path);
/// Whether the file at `path` is the manifest of a checkpoint. Local.
[[nodiscard]] bool is_checkpoint(const std::string& path);
/// @throws Error(input) if there is none, or its manifests are damaged. Local.
[[nodiscard]] CheckpointContents read_checkpoint(const std::string& path);

}  // namespace cairn
