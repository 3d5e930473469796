// Predictions of Gaussian processes, as files and reports have them.
#pragma once

#include <string>
#include <vector>

#include "cairn/task/gaussian/gaussian_process.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

/// Predictions for this rank's rows, one list per target.
struct PredictedDistributions {
  PredictedRows rows;
  std::vector<std::vector<Normal>> distributions{};
  OutOfSample out_of_sample{};
};

/// Writes the CSV file, a column for each target and one for its standard deviation, and reports. Collective.
[[nodiscard]] TaskReport report_distributions(const PredictionInput& input, const PredictedDistributions& predicted,
                                              const std::vector<std::string>& targets);

}  // namespace cairn
