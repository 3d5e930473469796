#include "cairn/parameters/memory_limit.hpp"

#include <fmt/format.h>

#include "cairn/base/mpi/memory_room.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

Index MemoryLimit::room_of_rank(const Communicator& communicator, double share_of_node) const {
  return cairn::room_of_rank(communicator, bytes, share_of_node);
}

Index MemoryLimit::room_of_node(const Communicator& communicator) const {
  constexpr double share = 0.9;  // something is left for the system
  return room_of_rank(communicator, share) * communicator.node().size();
}

ReadingRoom::Limits MemoryLimit::for_readers(const Communicator& communicator) const {
  return {
      .bytes = bytes, .name = name(), .key = name(), .unlimited = unlimited, .processes = communicator.node().size()};
}

std::string MemoryLimit::room_text(Index room) const {
  return fmt::format("{}{}", format_bytes(static_cast<double>(room)),
                     bytes == 0 ? " left" : fmt::format(" of {} left", name()));
}

}  // namespace cairn
