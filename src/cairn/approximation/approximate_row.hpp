// A row of K~, and rows and columns of its factors.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// K~(row, own columns): in one product where K~ is symmetric, else window by window, so that the rank that owns the
/// row never holds lists of all columns. Collective.
template <class T>
[[nodiscard]] std::vector<double> approximate_row(const Execution& execution, const Approximation<T>& approximation,
                                                  Index row);

/// Own values of a column of a factor, zeros included. Local.
template <class T>
[[nodiscard]] std::vector<double> factor_column(const Factor<T>& factor, Index column);

/// The cosine of the row of a factor that belongs to an object and each own row; 0 if one of them is 0. Collective.
template <class T>
[[nodiscard]] std::vector<double> row_cosines(const Communicator& communicator, const RowBlock<T>& rows, Index object);

/// An object, and its value in a row of K~.
struct Neighbour {
  Index object = 0;
  double value = 0;
};

/// The `k` objects that a row calls nearest: with the largest values, or the least if these are distances; of equal
/// ones those with the lowest numbers first. @param own, values  this rank's objects, and their values @param skipped
/// an object that does not count; -1: none. The same on every rank. Memory: a window of a row. Collective.
[[nodiscard]] std::vector<Neighbour> nearest_objects(const Communicator& communicator, Range own,
                                                     std::span<const double> values, Index skipped, std::size_t k,
                                                     Meaning meaning);

}  // namespace cairn
