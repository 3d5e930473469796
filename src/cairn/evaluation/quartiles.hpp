// Quartiles of a sample.
#pragma once

#include <vector>

namespace cairn {

struct Quartiles {
  double first = 0, median = 0, third = 0;
};

/// By linear interpolation between order statistics. @pre `values` is not empty. Local.
[[nodiscard]] Quartiles quartiles(std::vector<double> values);

}  // namespace cairn
