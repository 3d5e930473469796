// The exact entries that a result keeps of the nearest objects of each.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Objects whose entries are evaluated, for each that is kept.
inline constexpr Index candidates_a_kept = 3;
/// Bytes that the search takes for a candidate of an own row, at most: what a plan counts.
inline constexpr Index candidate_bytes = 150;

/// How many candidates each of n objects has if `near` are kept.
[[nodiscard]] constexpr Index near_candidate_count(Index n, Index near) {
  const Index most = n - 1;
  return near > most / candidates_a_kept ? most : candidates_a_kept * near;
}

/// S: the diagonal of K, and for each object the entries of its `near` nearest ones. Candidates of i are the
/// candidates_a_kept * near objects with the best K~_ij, and the objects that i is a candidate of; K is evaluated for
/// each pair of them once, and the nearest by K are kept, of equal ones those with the lowest numbers. An entry is kept
/// for both of its objects if it is for one, so that K~ + S is symmetric if K~ is.
///
/// Pairs run through execution.ledger in units of the partition, and are evaluated by the owner of one of their
/// objects. Evaluations and seconds go to the phase "near entries". The same on any number of ranks, to rounding of K~.
/// @param similarity  K, symmetric @pre 1 <= near < n, K~ is square
/// @throws Error(numeric) for a value that is not finite. Memory: candidate_bytes a candidate. Collective.
template <class T>
[[nodiscard]] NearEntries<T> find_near_entries(const Execution& execution, const Approximation<T>& approximation,
                                               const Similarity<T>& similarity, const ObjectSet& objects, Index near);

}  // namespace cairn
