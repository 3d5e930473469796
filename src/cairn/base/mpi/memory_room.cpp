#include "cairn/base/mpi/memory_room.hpp"

#include <algorithm>

#include "cairn/base/phases.hpp"
#include "cairn/base/process/free_memory.hpp"

namespace cairn {

Index room_of_rank(const Communicator& communicator, Index limit, double share_of_node) {
  const Index ranks_here = communicator.node().size();
  const FreeMemory free = free_memory();
  constexpr Index most = Index{1} << 60;  // what nobody limits; as a double it is exact
  const Index part = std::min({free.shared / ranks_here, free.own, most});
  Index room = static_cast<Index>(share_of_node * static_cast<double>(part));
  if (limit > 0) room = std::min(room, std::max<Index>(0, limit - resident_bytes()));
  return communicator.minimum(room);
}

}  // namespace cairn
