// Values of rows by the models of kernel ridge regression.
#pragma once

#include "cairn/task/prediction.hpp"

namespace cairn {

/// As predict_rows, for a file of models of values. Collective.
[[nodiscard]] TaskReport predict_values(const PredictionInput& input);

}  // namespace cairn
