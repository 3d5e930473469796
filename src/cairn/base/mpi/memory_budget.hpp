// Memory budget of a rank.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Bytes that a rank may still take, minimum over ranks: `share_of_node` of its part of the free memory of its node or
/// control group, and of what the limits of its own process leave (free_memory); or what it has left of `limit` bytes
/// if that is less. @param limit  0: none. Collective.
[[nodiscard]] Index budget_of_rank(const Communicator& communicator, Index limit, double share_of_node);

}  // namespace cairn
