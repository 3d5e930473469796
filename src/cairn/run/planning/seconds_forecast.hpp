// Forecast of the time for a method that evaluates entries or columns of K, from some of these data if they are
// available.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/run/planning/planning.hpp"

namespace cairn {

/// Measured once, for any number of ranks.
struct SecondsForecast {
  PlanRates rates;      ///< for the ranks of the input
  MeasuredLinks links;  ///< between ranks
  /// Seconds by phase of the same run on `input.ranks` ranks, without messages. @param plan  that of this input. Local.
  std::function<std::vector<PlanPhase>(const PlanInput& input, const Plan& plan)> phases;
};

/// Measures evaluations between some of the objects, or a band of columns and some rows if K is single-source, and what
/// the method needs of the machine. @param data  null: they were not read, and
/// points are generated instead @param known  rates of another machine, or measured before; null: they are measured
/// here @param read_seconds  of the data; 0: they were not read @pre data are given if K is single-source. Collective.
template <class T>
[[nodiscard]] SecondsForecast forecast_seconds(const Execution& execution, const Data<T>* data, const RunChoices& run,
                                               const PlanInput& input, const MachineRates* known, double read_seconds);

/// True if a plan may read the data to inspect them: half a gigabyte at most. Local.
[[nodiscard]] bool is_quickly_read(const DataSize& size);

/// Scales seconds that were measured here to a machine whose rates are known. Collective.
void scale_to(const Execution& execution, const MachineRates& known, std::span<PlanPhase> phases);

}  // namespace cairn
