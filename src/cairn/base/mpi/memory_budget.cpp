#include "cairn/base/mpi/memory_budget.hpp"

#include <algorithm>

#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/schedule/phases.hpp"

namespace cairn {

Index budget_of_rank(const Communicator& communicator, Index limit, double share_of_node) {
  const Index ranks_here = communicator.node().size();
  const FreeMemory free = free_memory();
  constexpr Index most = Index{1} << 60;  // stands for no limit; exact as a double
  const Index part = std::min({free.shared / ranks_here, free.own, most});
  Index budget = static_cast<Index>(share_of_node * static_cast<double>(part));
  if (limit > 0) budget = std::min(budget, std::max<Index>(0, limit - resident_bytes()));
  return communicator.minimum(budget);
}

}  // namespace cairn
