// Storage of a core matrix in tiles during a run.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// When a growth of landmarks ends, whether or not its error is reached.
struct TimeLimit {
  std::chrono::steady_clock::time_point end;
  std::string name;  ///< with its value, for messages
};

/// Memory and time of a run, and the folder for matrices that exceed the memory.
struct RunResources {
  MemoryLimit memory{};
  std::string scratch_folder{};                    ///< empty: the working directory
  std::string folder_name = "the scratch folder";  ///< name, in messages, of the setting that determines the folder
  std::optional<TimeLimit> time{};
};

/// Storage by the value core_matrix-storage of the method: memory, disk (a file without a name), or auto, which uses
/// the disk, and logs it, if the tiles would not fit into the memory of some rank. The communicator must outlive it.
/// @param work_bytes  bytes that a rank needs besides its tiles. Local.
[[nodiscard]] TileStorage core_storage(const Communicator& communicator, const RunResources& budget,
                                       const Values& method, Index work_bytes);

}  // namespace cairn
