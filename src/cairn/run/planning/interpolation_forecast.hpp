// Forecast of the time for the parts of biharmonic interpolation on these data, from small pieces of each.
#pragma once

#include <string>
#include <vector>

#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/planning.hpp"

namespace cairn {

/// Effect of the result file's zlib compression on W.
struct DeflatedTiles {
  double share = 1.0;           ///< remaining share of its bytes
  double seconds_a_byte = 0.0;  ///< of a thread, per byte before compression
};

/// Seconds by phase, scaled from measurements.
struct InterpolationForecast {
  std::vector<PlanPhase> phases;
  std::string solver;  ///< for the columns of P, as chosen by auto; empty: nothing is solved
  DeflatedTiles deflated;
  Index hanging = 0;  ///< vertices in pendant trees, whose rows of P are those of their roots
};

/// Sets up the similarity and the operator as the run will, and computes one tile of columns of P and one band of W per
/// rank, and a few whole rows of K. Uses the run's landmarks if they are found by path searches, otherwise uniform
/// ones. Computes no columns if P is taken from another result. Memory and @throws: as these steps. Collective.
template <class T>
[[nodiscard]] InterpolationForecast forecast_interpolation(const Execution& execution, const Data<T>& data,
                                                           const RunChoices& run, const PlanInput& input);

/// Seconds for writing the result. @param seconds_a_byte  time for deflating W; 0: it is not deflated @param
/// bytes_a_second  rate of the disk. Local.
[[nodiscard]] double write_seconds(const PlanInput& input, const Plan& plan, double seconds_a_byte,
                                   double bytes_a_second);

}  // namespace cairn
