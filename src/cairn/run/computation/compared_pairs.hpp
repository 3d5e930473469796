// Pairs of objects with given scores, and their entries in K and K~.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/points/column_option.hpp"
#include "cairn/evaluation/pair_scores.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// Reads two row numbers and a score per line, and adds the entries of both matrices, on every rank. Distances get the
/// sign of a similarity. @throws Error(input) for other columns, and invalid row numbers. Collective.
template <class T>
[[nodiscard]] ScoredPairs read_pairs(const Execution& execution, const ColumnSource& source,
                                     const Approximation<T>& approximation, const ExactMatrix<T>& exact);

}  // namespace cairn
