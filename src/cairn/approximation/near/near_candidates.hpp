// Candidates for the nearest objects of each object, according to the factors.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// Number of columns of K~ that are processed together, for `largest_rows` own rows on the largest rank; a plan counts
/// it, too.
[[nodiscard]] Index candidate_columns(Index largest_rows);

/// For each own row i of K~ the `count` objects other than i with the best K~_ij: the largest, or the smallest if these
/// are distances; among values that are equal up to the rounding of sums in double precision, the ones with the lowest
/// numbers. `count` numbers per row, row after row, each list ascending. n² products of rows of factors, by blocks of
/// columns, at most 128 MB of them per rank (but at least 16 columns). Memory: 24 bytes per candidate, 8 bytes per own
/// object, 8 bytes per object on every rank.
/// @pre count < n, K~ is square. Collective.
template <class T>
[[nodiscard]] std::vector<Index> near_candidates(const Execution& execution, const Approximation<T>& approximation,
                                                 Index count);

}  // namespace cairn
