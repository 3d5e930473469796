// Where the joining matrix of biharmonic interpolation is kept while a program runs.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/parameters/settings.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

/// As approximation.joining-storage says: memory, disk (a file without name beside output.path), or auto, which takes
/// the disk where tiles would not fit on some rank and says so in the log. Its arguments outlive it.
/// @param work_bytes  that a rank takes beside its tiles
[[nodiscard]] TileStorage joining_storage(const Communicator& communicator, const Settings& settings, Index work_bytes);

/// The same for a run on `data`. @param landmarks  rows of W. Collective.
template <class T>
[[nodiscard]] TileStorage tile_storage(const Communicator& communicator, const Settings& settings, const Data<T>& data,
                                       Index landmarks);

/// Bytes of a joining matrix in tiles that a rank may hold of the result at `path`; what is larger stays in the file.
/// That is what its left factor and 1 GB of work leave of run.memory, or of a rank's share of half of the node's free
/// memory; the least over ranks. @throws as read_result_shape. Collective.
[[nodiscard]] Index most_tile_bytes(const Communicator& communicator, const Settings& settings,
                                    const std::string& path);

/// @throws Error(resource) where run.memory, or a rank's share of the node's free memory, has no room for the dense
/// matrices of the order of W that training makes of the result at `path` if its joining matrix is in tiles.
/// Collective.
void require_training_memory(const Communicator& communicator, const Settings& settings, const std::string& path);

}  // namespace cairn::app
