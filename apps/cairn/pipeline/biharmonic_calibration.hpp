// How long the parts of biharmonic interpolation take on these data, from small pieces of each.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/plan_model.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

/// Seconds by phase, scaled from what was measured, and what the zlib of the result file leaves of W.
struct BiharmonicForecast {
  std::vector<PlanPhase> phases;
  std::string solver;  ///< of the columns of P, as auto chose it
  double deflated_share = 1.0;
};

/// Makes the similarity and the operator as the run will, one tile of columns of P and one band of W a rank, and a few
/// whole rows of K, with uniform landmarks whatever landmarks.selection says; no columns where P is another result's.
/// Memory: what these take. @throws what they throw. Collective.
template <class T>
[[nodiscard]] BiharmonicForecast forecast_biharmonic(const Execution& execution, const Settings& settings,
                                                     const Data<T>& data, const PlanInput& input);

/// Seconds of writing the result, W compressed or not. Local.
[[nodiscard]] double biharmonic_write_seconds(const PlanInput& input, const Plan& plan, int threads);

}  // namespace cairn::app
