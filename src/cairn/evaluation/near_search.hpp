// Finds the exact entries of nearest objects that a result keeps.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Number of candidates evaluated for each kept entry.
inline constexpr Index candidates_a_kept = 3;
/// Maximum bytes per candidate of this rank's rows during the search, as counted by a plan.
inline constexpr Index candidate_bytes = 150;

/// Number of candidates of each of n objects if `near` are kept.
[[nodiscard]] constexpr Index near_candidate_count(Index n, Index near) {
  const Index most = n - 1;
  return near > most / candidates_a_kept ? most : candidates_a_kept * near;
}

/// Search for the nearest objects: among candidates that the factors call near, or by the exact search of the
/// similarity (nearest_search()).
enum class NearCandidates { by_factors, by_matrix };

/// S: the diagonal of K, and for each object the entries of its `near` nearest objects. Candidates of i are the
/// candidates_a_kept * near objects with the best K~_ij, and the objects that have i as a candidate. K is evaluated
/// once for each such pair. The nearest by K are kept; ties are broken by the lower number. An entry is kept for both
/// of its objects if it is kept for one, so that K~ + S is symmetric if K~ is.
///
/// Pairs use execution.ledger in units of the partition, and are evaluated by the owner of one of their objects.
/// Evaluations and seconds are attributed to the phase "near entries". The result does not depend on the number of
/// ranks, up to rounding of K~.
/// With NearCandidates::by_matrix the candidates of i are its `near` nearest objects, by K: none is missed.
/// @param similarity  K, symmetric
/// @pre 1 <= near < n, K~ is square; the similarity has a search if the candidates come from it
/// @throws Error(numeric) for a value that is not finite. Memory: candidate_bytes per candidate. Collective.
template <class T>
[[nodiscard]] NearEntries<T> find_near_entries(const Execution& execution, const Approximation<T>& approximation,
                                               const Similarity<T>& similarity, const ObjectSet& objects, Index near,
                                               NearCandidates which = NearCandidates::by_factors);

}  // namespace cairn
