// Where a joining matrix in tiles is kept, and what fits beside it.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Room that a run may take, and where it keeps on disk what does not fit.
struct RunRoom {
  Index memory = 0;              ///< bytes per rank to count on; 0: what the node has
  std::string scratch_folder{};  ///< empty: the working directory
  std::string memory_name{};     ///< how messages name `memory`: "run.memory"; empty if it is not given
  std::string folder_name = "the scratch folder";  ///< how messages name what decides about the folder
};

/// "6 GB of run.memory left" or "6 GB left", for messages. Local.
[[nodiscard]] std::string room_text(const RunRoom& room, Index bytes);

/// As joining-storage among the method's values says: memory, disk (a file without name), or auto, which takes the
/// disk if tiles would not fit on some rank and logs it. The communicator outlives it.
/// @param work_bytes  that a rank takes beside its tiles. Local.
[[nodiscard]] TileStorage joining_storage(const Communicator& communicator, const RunRoom& room, const Values& method,
                                          Index work_bytes);

/// Bytes of a joining matrix in tiles that a rank may hold of the result at `path`; what is larger stays in the file.
/// That is what its left factor and 1 GiB of work leave of `memory`, or of a rank's share of half of the node's free
/// memory; the least over ranks. @throws as read_result_shape. Collective.
[[nodiscard]] Index max_tile_bytes(const Communicator& communicator, Index memory, const std::string& path);

/// @throws Error(resource) if there is no room for the dense matrices of the order of W that training makes of the
/// result at `path`, if its joining matrix is in tiles. Collective.
void require_training_memory(const Communicator& communicator, const RunRoom& room, const std::string& path);

}  // namespace cairn
