// A row of K~.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// K~(row, own columns): in one product where K~ is symmetric, else window by window, so that the rank that owns the
/// row never holds lists of all columns. Collective.
template <class T>
[[nodiscard]] std::vector<double> approximate_row(const Execution& execution, const Approximation<T>& approximation,
                                                  Index row);

}  // namespace cairn
