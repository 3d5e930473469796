// A plan against the memory that there is.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Plans were found to be up to a fifth above what runs take (docs/benchmarks.md): so much of a plan must fit.
inline constexpr double certain_share = 0.8;

/// Whether a plan fits.
enum class PlanFit {
  yes,
  perhaps,  ///< only if the plan is above what the run takes
  no
};

/// What a plan needs and what there is, on the node where there is least.
struct PlanRoom {
  PlanFit fit = PlanFit::yes;
  Index needed = 0;    ///< bytes of the ranks of the node together, what they share counted once
  Index there = 0;     ///< bytes that these ranks have and that are free
  int ranks = 1;       ///< of the node
  std::string source;  ///< what limits it
};

/// The plan beside what is free (free_memory) and what the ranks hold already.
/// @param ranks  that the plan is for: those of the communicator, or so many on this node alone Collective.
[[nodiscard]] PlanRoom plan_room(const Communicator& communicator, const Plan& plan, int ranks);

/// Bytes of a rank that a run counts on if the user names no limit: what it holds, and its part of what is free.
/// Collective.
[[nodiscard]] Index default_memory(const Communicator& communicator);

/// A line of the plan's report: "fits here  yes: 1.4 GB of 20 GB (the machine)". Local.
[[nodiscard]] std::string fit_text(const PlanRoom& room);
/// "yes", "perhaps" or "no". Local.
[[nodiscard]] std::string fit_word(PlanFit fit);

/// Refuses a plan above the user's limit; what this machine has does not count. @param ranks  that the plan is for
/// @param advice  what else the user can change, behind "use more ranks" @throws Error(resource) with the figures.
/// Local.
void require_limit(const Plan& plan, int ranks, const MemoryLimit& memory, const std::string& advice);

/// Before a run: require_limit; then refuses a plan of which certain_share is more than there is, and warns of one in
/// between. Nothing of that if the limit is `unlimited`.
/// @param warns  whether it says so of one in between @return whether it is in between
/// @throws Error(resource) with the figures and their source. Collective.
bool require_plan_room(const Communicator& communicator, const Plan& plan, const MemoryLimit& memory,
                       const std::string& advice, bool warns = true);

}  // namespace cairn
