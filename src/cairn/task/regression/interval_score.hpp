// Scores of predicted distributions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/files/score_lists.hpp"

namespace cairn {

/// A normal distribution.
struct Normal {
  double mean = 0.0, standard_deviation = 0.0;
};

/// Scores the distributions that were predicted for this rank's rows against their targets, over all ranks: the means,
/// the 95 % intervals, the mean log density of the standardized target, and the continuous ranked probability score
/// (Gneiting and Raftery 2007, section 4.2).
/// @param scale  standard deviation of the target Collective.
[[nodiscard]] StoredIntervalScore interval_score(const Communicator& communicator, std::span<const Normal> predicted,
                                                 const std::vector<double>& truth, double scale,
                                                 const std::string& name, const std::string& on);

/// Half the width of a 95 % interval in standard deviations: the normal distribution has 2.5 % above this value.
inline constexpr double half_interval = 1.959963984540054;

}  // namespace cairn
