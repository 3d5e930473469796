// How long the parts of biharmonic interpolation take on these data, from small pieces of each.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/planning.hpp"

namespace cairn {

/// What the zlib of the result file does with W.
struct DeflatedTiles {
  double share = 1.0;           ///< of its bytes, that are left
  double seconds_a_byte = 0.0;  ///< of a thread, before
};

/// Seconds by phase, scaled from what was measured.
struct InterpolationForecast {
  std::vector<PlanPhase> phases;
  std::string solver;  ///< of the columns of P, as auto chose it; empty: nothing is solved for
  DeflatedTiles deflated;
  Index hanging = 0;  ///< vertices in trees whose rows of P are those of their roots
};

/// Makes the similarity and the operator as the run will, one tile of columns of P and one band of W a rank, and a few
/// whole rows of K, with the run's landmarks if they are searched for, uniform ones otherwise; no columns if P is
/// another result's. Memory: what these take. @throws what they throw. Collective.
template <class T>
[[nodiscard]] InterpolationForecast forecast_interpolation(const Execution& execution, const Data<T>& data,
                                                           const RunChoices& run, const PlanInput& input);

/// Seconds of writing the result. @param seconds_a_byte  of W, to deflate it; 0: it is not @param bytes_a_second  of
/// the disk. Local.
[[nodiscard]] double write_seconds(const PlanInput& input, const Plan& plan, double seconds_a_byte,
                                   double bytes_a_second);

}  // namespace cairn
