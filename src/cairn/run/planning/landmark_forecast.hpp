// The number of landmarks that a relative error needs, from samples of the objects.
#pragma once

#include "cairn/run/computation/error_goal.hpp"

namespace cairn {

/// Numbers of landmarks from several samples.
struct LandmarkForecast {
  Index least = 0, expected = 0, most = 0;
  Index samples = 0;
  Index sample_size = 0;
  bool beyond = false;         ///< half of a sample does not suffice: the numbers are only lower bounds
  bool ignores_split = false;  ///< landmarks are asked from one split, and the samples are of all objects
  Index evaluations = 0;
};

/// The number of landmarks for which K among 2,000 objects (300 if another program evaluates K, all if there are fewer)
/// has the error, which is computed exactly there, for three samples. Among the landmarks the error is 0: it is taken
/// as proportional to 1 - s / m in a sample of m objects. Takes m² evaluations a sample.
/// @pre error_goal(method) Collective. Memory: 2 m² numbers on every rank.
template <class T>
[[nodiscard]] LandmarkForecast forecast_landmarks(const Execution& execution, const ExactMatrix<T>& exact,
                                                  const MethodChoice& method);

}  // namespace cairn
