// Pairs of objects with given scores, and what K and K~ say of them.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/points/column_option.hpp"
#include "cairn/evaluation/pair_scores.hpp"
#include "cairn/run/computation/exact_matrix.hpp"

namespace cairn {

/// Two row numbers and a score a line, with the entries of both matrices, on every rank. Distances get the sign of a
/// similarity. @throws Error(input) for other columns, and numbers that are no rows. Collective.
template <class T>
[[nodiscard]] ScoredPairs read_pairs(const Execution& execution, const ColumnSource& source,
                                     const Approximation<T>& approximation, const ExactMatrix<T>& exact);

}  // namespace cairn
