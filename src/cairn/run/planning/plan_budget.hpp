// Comparison of a plan with the available memory.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/plan/links.hpp"
#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Plans exceed what runs need by up to a fifth (docs/benchmarks.md): this share of a plan must fit.
inline constexpr double certain_share = 0.8;

/// Outcome of comparing a plan with the available memory.
enum class PlanFit {
  yes,
  perhaps,  ///< only if the plan exceeds what the run needs
  no
};

/// Needed and available memory, on the node with the least.
struct PlanBudget {
  PlanFit fit = PlanFit::yes;
  Index needed = 0;    ///< bytes of all ranks of the node, shared memory counted once
  Index there = 0;     ///< bytes that these ranks hold and that are free
  int ranks = 1;       ///< of the node
  std::string source;  ///< name of the limit
};

/// Compares the plan with the free memory (free_memory) plus the memory that the ranks already hold.
/// @param ranks  ranks of the plan: those of the communicator, or this number on this node alone. Collective.
[[nodiscard]] PlanBudget plan_budget(const Communicator& communicator, const Plan& plan, int ranks);

/// Bytes per rank that a run assumes if the user sets no limit: what it holds, and its share of the free memory.
/// Collective.
[[nodiscard]] Index default_memory(const Communicator& communicator);

/// A line of the plan's report: "fits here  yes: 1.4 GB of 20 GB (the machine)". Local.
[[nodiscard]] std::string fit_text(const PlanBudget& budget);
/// "yes", "perhaps" or "no". Local.
[[nodiscard]] std::string fit_word(PlanFit fit);

/// Refuses a plan above the user's limit, whatever memory this machine has. @param ranks  ranks of the plan
/// @param advice  what else the user can change, after "use more ranks" @throws Error(resource) with the numbers.
/// Local.
void require_limit(const Plan& plan, int ranks, const MemoryLimit& memory, const std::string& advice);

/// Before a run: calls require_limit; then refuses a plan if certain_share of it exceeds the available memory, and
/// warns if only the whole plan does. Does nothing if the limit is `unlimited`.
/// @param warns  log that warning @return true if only the whole plan exceeds it
/// @throws Error(resource) with the numbers and their source. Collective.
bool require_plan_budget(const Communicator& communicator, const Plan& plan, const MemoryLimit& memory,
                         const std::string& advice, bool warns = true);

/// Ranks on nodes: by default those of this communicator, or one node for other ranks.
/// @param ranks, nodes  0: not given @throws Error(usage) for more nodes than ranks, with the name `nodes_key`.
/// Collective.
[[nodiscard]] NodeLayout layout_of(const Communicator& communicator, int ranks, int nodes,
                                   const std::string& nodes_key = "nodes");

}  // namespace cairn
