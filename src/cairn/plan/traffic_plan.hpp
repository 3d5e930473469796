// Predicted messages of a run, by phase.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/links.hpp"
#include "cairn/plan/plan_model.hpp"

namespace cairn {

struct PhaseTraffic {
  std::string phase;
  Traffic traffic;
};

/// What a rank of a run on `input.ranks` ranks sends or receives, at most, in the phases of plan_seconds() that move
/// anything; communicators count the same (PhaseSummary::traffic). A reading of data is not included, nor what depends
/// on a graph: making a hierarchy, and all of `biharmonic`. Path lengths are those of a hierarchy. Local.
[[nodiscard]] std::vector<PhaseTraffic> plan_traffic(const PlanInput& input);

/// ScaLAPACK's own messages, which no communicator counts [Blackford et al. 1997, section 5]: for a product or a
/// factorization of order s in blocks of b on p ranks, s / b steps with a broadcast along rows and one along columns, 8
/// s^2 / sqrt(p) bytes in all; for a tridiagonal form four sums a column. Nothing if one rank decomposes the matrix.
/// Local.
[[nodiscard]] Traffic scalapack_traffic(const PlanInput& input);

/// Where the rates of phases were measured.
struct MeasuredOn {
  NodeLayout layout;
  Links links;
};

/// The phases, with the seconds of their messages. Local.
[[nodiscard]] std::vector<PlanPhase> with_messages(std::vector<PlanPhase> phases, const PlanInput& input,
                                                   const NodeLayout& layout, const MeasuredOn& on);

/// Sum over phases. Local.
[[nodiscard]] double total_seconds(const std::vector<PlanPhase>& phases);

}  // namespace cairn
