#include "cairn/base/mpi/memory_room.hpp"

#include <algorithm>

#include "cairn/base/phases.hpp"

namespace cairn {

Index room_of_rank(const Communicator& communicator, Index limit, double share_of_node) {
  const Index ranks_here = communicator.node().size();
  Index room = static_cast<Index>(share_of_node * static_cast<double>(available_node_bytes())) / ranks_here;
  if (limit > 0) room = std::min(room, std::max<Index>(0, limit - resident_bytes()));
  return communicator.minimum(room);
}

}  // namespace cairn
