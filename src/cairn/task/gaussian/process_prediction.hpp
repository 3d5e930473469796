// Means and standard deviations of rows by Gaussian processes.
#pragma once

#include "cairn/task/prediction.hpp"

namespace cairn {

/// As predict_rows, for a file of Gaussian processes. Each rank factors the covariance matrix of the training rows, for
/// one target after the other. Memory of a rank: process_bytes(). Collective.
[[nodiscard]] TaskReport predict_distributions(const PredictionInput& input);

}  // namespace cairn
