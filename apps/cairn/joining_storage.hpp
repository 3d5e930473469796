// Where the joining matrix of biharmonic interpolation is kept while a program runs.
#pragma once

#include "base/communicator.hpp"
#include "linalg/symmetric_tiles.hpp"
#include "settings.hpp"

namespace cairn::app {

/// As approximation.joining-storage says: memory, disk (a file without name beside output.path), or auto, which takes
/// the disk where tiles would not fit on some rank and says so in the log. `communicator` must outlive it.
[[nodiscard]] TileStorage joining_storage(const Communicator& communicator, const Settings& settings);

/// Bytes of a stored joining matrix in tiles that a rank may hold; what is larger stays in the file. That is what
/// run.memory leaves, else a rank's share of half of the node's free memory; the least over ranks. Collective.
[[nodiscard]] Index most_tile_bytes(const Communicator& communicator, const Settings& settings);

}  // namespace cairn::app
