#include "pipeline/memory_room.hpp"

#include <fmt/format.h>

#include "cairn/base/mpi/memory_room.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn::app {

Index room_of_rank(const Communicator& communicator, const Settings& settings, double share_of_node) {
  const Index limit = settings.text("run.memory").empty() ? 0 : settings.integer("run.memory");
  return cairn::room_of_rank(communicator, limit, share_of_node);
}

Index room_of_node(const Communicator& communicator, const Settings& settings) {
  constexpr double share = 0.9;  // something is left for the system
  return room_of_rank(communicator, settings, share) * communicator.node().size();
}

std::string room_text(const Settings& settings, Index room) {
  return fmt::format("{}{}", format_bytes(static_cast<double>(room)),
                     settings.text("run.memory").empty() ? " left" : " of run.memory left");
}

}  // namespace cairn::app
