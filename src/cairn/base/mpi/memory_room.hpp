// Memory that a rank may still take.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// `share_of_node` of a rank's part of what is free on its node or in its control group, and of what limits of its own
/// process leave (free_memory); or what it has left of `limit` bytes if that is less; the least over ranks. @param
/// limit  0: none. Collective.
[[nodiscard]] Index room_of_rank(const Communicator& communicator, Index limit, double share_of_node);

}  // namespace cairn
