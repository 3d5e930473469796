// Scores of what Gaussian processes predict for the rows that they are trained and tested on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/store/files/score_lists.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"
#include "cairn/task/regression/chosen_rows.hpp"

namespace cairn {

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
