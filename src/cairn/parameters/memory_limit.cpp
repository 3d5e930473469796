#include "cairn/parameters/memory_limit.hpp"

#include <fmt/format.h>

#include "cairn/base/mpi/memory_budget.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

Index MemoryLimit::budget_of_rank(const Communicator& communicator, double share_of_node) const {
  return cairn::budget_of_rank(communicator, bytes, share_of_node);
}

Index MemoryLimit::budget_of_node(const Communicator& communicator) const {
  constexpr double share = 0.9;  // leaves a margin for the system
  return budget_of_rank(communicator, share) * communicator.node().size();
}

ReadingBudget::Limits MemoryLimit::for_readers(const Communicator& communicator) const {
  return {
      .bytes = bytes, .name = name(), .key = name(), .unlimited = unlimited, .processes = communicator.node().size()};
}

std::string MemoryLimit::budget_text(Index budget) const {
  return fmt::format("{}{}", format_bytes(static_cast<double>(budget)),
                     bytes == 0 ? " left" : fmt::format(" of {} left", name()));
}

}  // namespace cairn
