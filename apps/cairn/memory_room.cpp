#include "memory_room.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/phases.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn::app {

Index room_of_rank(const Communicator& communicator, const Settings& settings, double share_of_node) {
  const Index ranks_here = communicator.node().size();
  Index room = static_cast<Index>(share_of_node * static_cast<double>(available_node_bytes())) / ranks_here;
  if (!settings.text("run.memory").empty()) {
    room = std::min(room, std::max<Index>(0, settings.integer("run.memory") - resident_bytes()));
  }
  return communicator.minimum(room);
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
