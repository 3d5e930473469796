// What a run may still take of the memory.
#pragma once

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// Bytes that a rank may still take: its part of a share of what its node has left, and what run.memory leaves of it;
/// the least over ranks. Collective.
[[nodiscard]] Index room_of_rank(const Communicator& communicator, const Settings& settings, double share_of_node);

/// The same of a node, for what its ranks share: run.memory counts as often as there are ranks on it. Collective.
[[nodiscard]] Index room_of_node(const Communicator& communicator, const Settings& settings);

/// "6 GB of run.memory" or "6 GB left", for messages. Local.
[[nodiscard]] std::string room_text(const Settings& settings, Index room);

}  // namespace cairn::app
