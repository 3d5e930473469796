// Memory that a rank may still take.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// A rank's share of `share_of_node` of the node's free memory, or what it has left of `limit` bytes if that is less;
/// the least over ranks. @param limit  0: none. Collective.
[[nodiscard]] Index room_of_rank(const Communicator& communicator, Index limit, double share_of_node);

}  // namespace cairn
