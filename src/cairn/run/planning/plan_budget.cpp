#include "cairn/run/planning/plan_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/memory_budget.hpp"
#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

std::string bytes_text(Index bytes) { return format_bytes(static_cast<double>(bytes)); }

PlanFit fit_of(Index needed, Index there) {
  if (needed <= there) return PlanFit::yes;
  return certain_share * static_cast<double>(needed) <= static_cast<double>(there) ? PlanFit::perhaps : PlanFit::no;
}

std::string ranks_text(int ranks) { return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks); }

// Memory of the node with the greatest shortage, the same on every rank. Collective.
PlanBudget agreed(const Communicator& communicator, PlanBudget mine) {
  const double share = mine.needed > 0 ? static_cast<double>(mine.there) / static_cast<double>(mine.needed) : 1e300;
  const int first =
      communicator.minimum(share == communicator.minimum(share) ? communicator.rank() : communicator.size());
  Index numbers[] = {mine.needed, mine.there, mine.ranks};
  communicator.broadcast(std::span<Index>(numbers), first);
  communicator.broadcast(mine.source, first);
  return {fit_of(numbers[0], numbers[1]), numbers[0], numbers[1], static_cast<int>(numbers[2]), mine.source};
}

}  // namespace

PlanBudget plan_budget(const Communicator& communicator, const Plan& plan, int ranks) {
  const Communicator& node = communicator.node();
  const bool others = ranks != communicator.size();  // other ranks will run here, instead of these
  const FreeMemory free = free_memory();
  const Index resident = resident_bytes(), held = node.sum(resident);
  constexpr Index most = FreeMemory::unknown;
  PlanBudget budget{.ranks = others ? ranks : node.size(), .source = free.shared_source};
  budget.needed = (plan.peak_bytes - plan.shared_bytes) * budget.ranks + plan.shared_bytes;
  if (plan.node_bytes > 0) budget.needed = std::min(budget.needed, plan.node_bytes);
  budget.there = free.shared > most - held ? most : free.shared + held;
  if (free.own < most - resident) {  // a limit per process
    PlanBudget own{.needed = plan.peak_bytes, .there = free.own + resident, .ranks = 1, .source = free.own_source};
    const auto lack = [](const PlanBudget& one) {
      return static_cast<double>(one.needed) / static_cast<double>(std::max<Index>(1, one.there));
    };
    if (lack(own) > lack(budget)) budget = own;
  }
  return agreed(communicator, budget);
}

Index default_memory(const Communicator& communicator) {
  return budget_of_rank(communicator, 0, 1.0) + communicator.minimum(resident_bytes());
}

std::string fit_word(PlanFit fit) { return fit == PlanFit::yes ? "yes" : fit == PlanFit::no ? "no" : "perhaps"; }

std::string fit_text(const PlanBudget& budget) {
  if (budget.there == FreeMemory::unknown) return "  fits here      unknown: this system does not say what is free\n";
  return fmt::format("  fits here      {}: {} of {} on this node, {} there ({}){}\n", fit_word(budget.fit),
                     bytes_text(budget.needed), ranks_text(budget.ranks), bytes_text(budget.there), budget.source,
                     budget.fit == PlanFit::perhaps ? "; plans are up to a fifth above what runs take" : "");
}

void require_limit(const Plan& plan, int ranks, const MemoryLimit& memory, const std::string& advice) {
  if (memory.unlimited || memory.bytes == 0 || plan.peak_bytes <= memory.bytes) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("the run would take {} on the largest of {} ranks, more than {} = {}; use more ranks{}, or raise {}",
                  bytes_text(plan.peak_bytes), ranks, memory.name(), bytes_text(memory.bytes), advice, memory.name()));
}

bool require_plan_budget(const Communicator& communicator, const Plan& plan, const MemoryLimit& memory,
                         const std::string& advice, bool warns) {
  require_limit(plan, communicator.size(), memory, advice);
  if (memory.unlimited) return false;
  const PlanBudget budget = plan_budget(communicator, plan, communicator.size());
  if (budget.fit == PlanFit::yes) return false;
  const std::string metrics = fmt::format("{} of {} on a node, and it has {} ({})", bytes_text(budget.needed),
                                          ranks_text(budget.ranks), bytes_text(budget.there), budget.source);
  if (budget.fit == PlanFit::perhaps) {
    if (warns && communicator.is_root()) {
      log(LogLevel::warning, fmt::format("the run would take {} by its plan, which is up to a fifth above what runs "
                                         "take: it may be killed for want of memory",
                                         metrics));
    }
    return true;
  }
  throw Error(ErrorKind::resource, fmt::format("the run would take {}; use more nodes or memory{}, or "
                                               "start it all the same with {} = unlimited",
                                               metrics, advice, memory.name()));
}

NodeLayout layout_of(const Communicator& communicator, int ranks, int nodes, const std::string& nodes_key) {
  const auto here = static_cast<int>(communicator.sum(communicator.node().is_root() ? Index{1} : Index{0}));
  const NodeLayout places{ranks > 0 ? ranks : communicator.size(), nodes > 0 ? nodes : ranks > 0 ? 1 : here};
  if (places.nodes > places.ranks) {
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} is more than the {} rank{} of the plan: a node without ranks does nothing",
                            nodes_key, places.nodes, places.ranks, places.ranks == 1 ? "" : "s"));
  }
  return places;
}

}  // namespace cairn
