// Finished tiles on disk, from which a stopped run is resumed.
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

/// Identity of the run that a checkpoint belongs to, by name: program version, data digest, and the config keys that
/// affect the result. A run resumes a checkpoint only if all of them are equal.
using RunIdentity = std::map<std::string, std::string>;

/// Progress of a loop.
struct LoopProgress {
  std::string name;
  Index tiles = 0, finished = 0;
};

/// Cost and benefit of a checkpoint on this rank.
struct CheckpointMetrics {
  Index restored_tiles = 0, restored_bytes = 0;
  Index written_tiles = 0, written_bytes = 0;
  double seconds = 0.0;                 ///< time inside put() and get()
  std::vector<std::string> notes = {};  ///< damaged parts that were found, by file and offset
};

/// The TileLedger on disk. At `path` is a manifest, at `path`.previous the one before it. Beside them are the segments
/// `path`.segment-R-K of rank K in the R-th run. Only that rank appends to a segment, and nobody changes it afterwards.
/// Every tile is written once and has a checksum. Each rank flushes its segment to the disk if `interval` has passed
/// since its last flush. A tile that is damaged, or was cut off when a rank was killed, counts as missing.
///
/// Only one run at a time uses a checkpoint (CheckpointLock): `path`.lock states which.
///
/// If a stop was requested (base/interruption.hpp), or `stop_at` is near, put() and settle() flush and throw: then the
/// loop ends on all ranks.
class Checkpoint final : public TileLedger {
 public:
  struct Options {
    std::string path;
    bool restart = false;  ///< resumes an existing checkpoint; otherwise none may exist
    std::chrono::duration<double> interval{600.0};
    std::chrono::steady_clock::time_point stop_at = std::chrono::steady_clock::time_point::max();
    KeyNames keys{};  ///< names of the keys of the path (checkpoint) and of the time limit (max-time)

    /// Names of both in messages.
    [[nodiscard]] std::string path_name() const { return keys("checkpoint", "the path of the checkpoint"); }
    [[nodiscard]] std::string time_name() const { return keys("max-time", "the time limit"); }
  };

  /// @throws Error(usage) if another run uses the checkpoint, it exists and `restart` is false, or the folder is not
  /// writable; Error(input) if the checkpoint belongs to another run (the message states the difference) or both
  /// manifests are damaged. Collective; `communicator` must outlive the object. Memory: about 80 bytes per tile of
  /// earlier runs.
  Checkpoint(const Communicator& communicator, Options options, const RunIdentity& identity);
  ~Checkpoint() override;
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  void begin(const char* name, Index tiles) override;
  bool get(Index tile, std::span<std::byte> bytes) override;
  /// @throws Error(interrupted) if the run must stop, Error(resource) if the disk fails
  void put(Index tile, std::span<const std::byte> bytes) override;
  /// True if the run must stop, or if `interval` and a quarter of the time since the loop began have passed since the
  /// last time: the stored state of such a loop then stays within a few times the size of its result.
  bool due(double begun) override;
  /// @throws Error(resource) if the disk fails
  void keep(Index tile, std::span<const std::byte> bytes) override;
  /// @throws Error(interrupted) if the run must stop, Error(resource) if the disk fails
  void settle() override;

  /// Flushes this rank's segment to the disk. @throws Error(resource). Local.
  void flush();
  /// Removes manifest and segments because the run is finished. Files that now belong to another run stay, with a
  /// warning. Collective.
  void remove();

  /// Number of stopped runs before this one.
  [[nodiscard]] Index earlier_runs() const;
  [[nodiscard]] const CheckpointMetrics& metrics() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Contents of a checkpoint.
struct CheckpointContents {
  RunIdentity identity;
  Index runs = 0;
  Index bytes = 0;
  std::vector<LoopProgress> loops;      ///< in the order in which they began
  std::vector<std::string> notes = {};  ///< on damaged parts
};

/// @throws Error(usage) if a checkpoint exists at `path`: a new one must not replace it. Local.
void refuse_existing_checkpoint(const std::string& path);
/// True if the file at `path` is the manifest of a checkpoint. Local.
[[nodiscard]] bool is_checkpoint(const std::string& path);
/// @throws Error(input) if there is no checkpoint, or its manifests are damaged. Local.
[[nodiscard]] CheckpointContents read_checkpoint(const std::string& path);

}  // namespace cairn
