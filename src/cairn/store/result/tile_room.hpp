// How much of a stored joining matrix is read into memory.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"

namespace cairn {

/// Bytes of a joining matrix in tiles that a rank may hold of the result at `path`; what is larger stays in the file.
/// That is what its left factor and 1 GB of work leave of the limit, or of a rank's share of half of the node's free
/// memory; the least over ranks. @throws as read_result_shape. Collective.
[[nodiscard]] Index most_tile_bytes(const Communicator& communicator, const MemoryLimit& memory,
                                    const std::string& path);

}  // namespace cairn
