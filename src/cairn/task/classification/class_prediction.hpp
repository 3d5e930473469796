// Classes of rows by a classifier, compared with their labels if they have any.
#pragma once

#include "cairn/task/prediction.hpp"

namespace cairn {

/// As predict_rows, for the file of a classifier. Collective.
[[nodiscard]] TaskReport predict_classes(const PredictionInput& input);

}  // namespace cairn
