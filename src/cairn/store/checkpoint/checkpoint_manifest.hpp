// The small file that says of which run a checkpoint is, and which segments belong to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/store/checkpoint/checkpoint.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

struct CheckpointManifest {
  std::string id;  ///< drawn for the first run: segments that an earlier checkpoint left at the same path have another
  RunIdentity identity;
  std::vector<int> ranks;               ///< of each run, from the first
  std::vector<std::string> notes = {};  ///< "FILE is damaged; FILE.previous is taken"

  /// In the order of runs and ranks; with the manifest at `path`.
  [[nodiscard]] std::vector<std::string> segments(const std::string& path) const;
};

[[nodiscard]] std::string previous_manifest(const std::string& path);
[[nodiscard]] std::string segment_path(const std::string& path, const std::string& id, Index run, int rank);
/// An id that no other checkpoint has. Local.
[[nodiscard]] std::string new_checkpoint_id();

/// The manifest at `path`, or where that is damaged or gone the one before it. A run that only the damaged one knew is
/// added as far as its segments are there. Nothing if neither file is there. @throws Error(input) if both are
/// damaged. Local.
[[nodiscard]] std::optional<CheckpointManifest> read_manifest(const std::string& path);

/// Whether the file at `path` begins as a manifest does, sound or not. Local.
[[nodiscard]] bool begins_as_manifest(const std::string& path);

/// Keeps what is at `path` as the previous one, then replaces it, each in one step. Collective; rank 0 has `manifest`.
/// @throws Error(usage), Error(resource) as AtomicFile does
void write_manifest(const Communicator& communicator, const OutputPath& path, const CheckpointManifest& manifest);

}  // namespace cairn
