// Which objects may be the nearest ones of each, as the factors see it.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// Columns of K~ that are looked at together, for so many own rows on the largest rank: what a plan counts, too.
[[nodiscard]] Index candidate_columns(Index largest_rows);

/// For each own row i of K~ the `count` objects other than i with the best K~_ij: the largest, or the least if these
/// are distances; of those that are equal, but for the rounding of sums in double precision, the ones with the lowest
/// numbers. count lists one after the other, each ascending by number. n² products of rows of factors, block by block
/// of columns, no rank more than 128 MB of them (16 columns at least). Memory: 24 bytes a candidate, 8 bytes an own
/// object, 8 bytes an object on every rank.
/// @pre count < n, K~ is square. Collective.
template <class T>
[[nodiscard]] std::vector<Index> near_candidates(const Execution& execution, const Approximation<T>& approximation,
                                                 Index count);

}  // namespace cairn
