// Memory limit of a program, and its name in messages.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Memory limit of each rank in bytes, in addition to what its node allows.
struct MemoryLimit {
  Index bytes = 0;         ///< 0: none
  KeyNames keys{};         ///< its name in messages
  bool unlimited = false;  ///< nothing is refused for lack of memory; automatic choices still use the free memory

  /// The key; words if no key sets it. Local.
  [[nodiscard]] std::string name() const { return keys("memory", "the memory limit"); }
  /// Memory budget of a rank in bytes, minimum over ranks: its part of a share of its node's free memory, or what the
  /// limit leaves if that is less. Collective.
  [[nodiscard]] Index budget_of_rank(const Communicator& communicator, double share_of_node) const;
  /// The same per node, for data that its ranks share: the limit counts once for each rank of the node. Collective.
  [[nodiscard]] Index budget_of_node(const Communicator& communicator) const;
  /// The same for readers in this process (ReadingBudget). Collective.
  [[nodiscard]] ReadingBudget::Limits for_readers(const Communicator& communicator) const;
  /// True if a run that needs `needed` bytes is refused for a budget of `room` bytes. Local.
  [[nodiscard]] bool refuses(double needed, Index budget) const {
    return !unlimited && needed > static_cast<double>(budget);
  }
  /// "6 GB of NAME left" or "6 GB left". Local.
  [[nodiscard]] std::string budget_text(Index budget) const;
};

}  // namespace cairn
