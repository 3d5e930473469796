// The small file that states which run a checkpoint belongs to and which segments it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/store/checkpoint/checkpoint.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

struct CheckpointManifest {
  std::string id;  ///< drawn for the first run; old segments at the same path have another id
  RunIdentity identity;
  std::vector<int> ranks;               ///< number of ranks of each run, from the first
  std::vector<std::string> notes = {};  ///< "FILE is damaged; FILE.previous is taken"

  /// Paths of the segments, ordered by run and rank, for a manifest at `path`.
  [[nodiscard]] std::vector<std::string> segments(const std::string& path) const;
};

[[nodiscard]] std::string previous_manifest(const std::string& path);
[[nodiscard]] std::string segment_path(const std::string& path, const std::string& id, Index run, int rank);
/// An id that no other checkpoint has. Local.
[[nodiscard]] std::string new_checkpoint_id();

/// Manifest at `path`, or the previous one if that is damaged or missing. A run that only the damaged manifest listed
/// is added as far as its segments exist. Nothing if neither file exists. @throws Error(input) if both are damaged.
/// Local.
[[nodiscard]] std::optional<CheckpointManifest> read_manifest(const std::string& path);

/// True if the file at `path` begins as a manifest does, sound or not. Local.
[[nodiscard]] bool begins_as_manifest(const std::string& path);

/// Keeps the manifest at `path` as the previous one, then replaces it; both steps are atomic. Collective; rank 0 has
/// `manifest`.
/// @throws Error(usage), Error(resource) as AtomicFile does
void write_manifest(const Communicator& communicator, const OutputPath& path, const CheckpointManifest& manifest);

}  // namespace cairn
