// Memory limit for a stored core matrix.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"

namespace cairn {

/// Bytes of a core matrix in tiles that a rank may hold for the result at `path`; a larger one stays in the file. This
/// is the memory limit, or a rank's share of half of the node's free memory, minus the left factor and 1 GB of work;
/// the minimum over ranks. @throws as read_result_shape. Collective.
[[nodiscard]] Index most_tile_bytes(const Communicator& communicator, const MemoryLimit& memory,
                                    const std::string& path);

}  // namespace cairn
