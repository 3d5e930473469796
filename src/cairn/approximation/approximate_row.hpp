// Rows of K~, and rows and columns of its factors.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// K~(row, own columns): in one product where K~ is symmetric, else window by window, so that the rank that owns the
/// row never holds lists of all columns. Collective.
template <class T>
[[nodiscard]] std::vector<double> approximate_row(const Execution& execution, const Approximation<T>& approximation,
                                                  Index row);

/// The own values of a column of a factor, zeros included. Local.
template <class T>
[[nodiscard]] std::vector<double> factor_column(const Factor<T>& factor, Index column);

/// Cosines of the angle between an object's row of a factor and each own row; 0 if one of the two rows is 0.
/// Collective.
template <class T>
[[nodiscard]] std::vector<double> row_cosines(const Communicator& communicator, const TallMatrix<T>& factor,
                                              Index object);

}  // namespace cairn
