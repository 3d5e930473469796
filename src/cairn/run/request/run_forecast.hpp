// Bytes and seconds of a run, before it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cairn/plan/links.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/landmark_forecast.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/run/planning/seconds_forecast.hpp"
#include "cairn/run/request/run_request.hpp"

namespace cairn {

/// Where and how a run is planned.
struct ForecastPlace {
  NodeLayout places{};
  Index baseline = 0;                   ///< bytes that a rank holds before any data
  const MachineRates* known = nullptr;  ///< rates of another machine, or measured before; null: measured here
  bool seconds = true;                  ///< false: memory and evaluations alone, and nothing is measured
};

/// What a run will take.
struct RunForecast {
  PlanInput input{};
  Plan plan{};
  NodeLayout places{};
  std::vector<PlanPhase> phases{};              ///< seconds; empty: not wanted, or a program computes similarities
  std::optional<LandmarkForecast> landmarks{};  ///< if an error is given in place of a number of landmarks
  std::optional<SecondsForecast> measured{};    ///< the rates behind the seconds, of methods that use entries
  /// Seconds by phase of the same run elsewhere, messages included; null: they follow from no rates (whole rows, or a
  /// program). Local.
  std::function<std::vector<PlanPhase>(const PlanInput&, const Plan&, const NodeLayout&)> elsewhere{};
};

/// Plans the memory of the run and, if seconds are wanted, measures what its seconds follow from: evaluations between
/// some of the objects, products and decompositions, a piece of each part of biharmonic interpolation. Reads the data
/// if no header gives their size, if they are few, or if the plan needs them.
/// @throws as read() and plan_of(); Error(usage) if the number of landmarks follows only from a file. Collective.
template <class T>
[[nodiscard]] RunForecast forecast_run(const Execution& execution, RunRequest request, const ForecastPlace& place);

}  // namespace cairn
