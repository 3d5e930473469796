// Where a joining matrix in tiles is kept while a program runs.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Room that a run may take, and where it keeps on disk what does not fit.
struct RunRoom {
  MemoryLimit memory{};
  std::string scratch_folder{};                    ///< empty: the working directory
  std::string folder_name = "the scratch folder";  ///< how messages name what decides about the folder
};

/// As joining-storage among the method's values says: memory, disk (a file without name), or auto, which takes the
/// disk if tiles would not fit on some rank and logs it. The communicator outlives it.
/// @param work_bytes  that a rank takes beside its tiles. Local.
[[nodiscard]] TileStorage joining_storage(const Communicator& communicator, const RunRoom& room, const Values& method,
                                          Index work_bytes);

}  // namespace cairn
