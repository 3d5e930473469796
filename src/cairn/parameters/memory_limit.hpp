// Memory that a program may take, and how messages say so.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/reading_room.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Bytes that each rank may take, beside what its node has.
struct MemoryLimit {
  Index bytes = 0;         ///< 0: none
  KeyNames keys{};         ///< how messages name it
  bool unlimited = false;  ///< nothing is refused for want of memory; what chooses by it still sees what is free

  /// The key; words if no key sets it. Local.
  [[nodiscard]] std::string name() const { return keys("memory", "the memory limit"); }
  /// Bytes that a rank may still take: its part of a share of what its node has left, and what the limit leaves of it;
  /// the least over ranks. Collective.
  [[nodiscard]] Index room_of_rank(const Communicator& communicator, double share_of_node) const;
  /// The same of a node, for what its ranks share: the limit counts as often as there are ranks on it. Collective.
  [[nodiscard]] Index room_of_node(const Communicator& communicator) const;
  /// The same for what is read by this process (ReadingRoom). Collective.
  [[nodiscard]] ReadingRoom::Limits for_readers(const Communicator& communicator) const;
  /// Whether a run that needs so much is refused where there is so much room. Local.
  [[nodiscard]] bool refuses(double needed, Index room) const {
    return !unlimited && needed > static_cast<double>(room);
  }
  /// "6 GB of NAME left" or "6 GB left". Local.
  [[nodiscard]] std::string room_text(Index room) const;
};

}  // namespace cairn
