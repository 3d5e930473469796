// How long a method takes that evaluates columns of K by source, from a few columns and rows of these data.
#pragma once

#include <vector>

#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/run/planning/planning.hpp"

namespace cairn {

/// Seconds by phase: K is made as the run will make it, and a band of columns a rank and a few rows are evaluated; the
/// rest is plan_seconds(). @param known  what was measured here is scaled to that machine; null: it is not. Memory:
/// what K takes, and 512 MiB over all ranks. @throws what making K throws. Collective.
template <class T>
[[nodiscard]] std::vector<PlanPhase> forecast_sources(const Execution& execution, const Data<T>& data,
                                                      const RunChoices& run, const PlanInput& input, const Plan& plan,
                                                      const PlanRates& rates, const MachineRates* known);

}  // namespace cairn
