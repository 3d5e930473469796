// The error of an approximation from entries of K that are evaluated for this purpose alone.
#pragma once

#include "approximation/approximation.hpp"
#include "base/random.hpp"

namespace cairn {

/// ||K~ - K||_F / ||K||_F, its square, and their standard errors (delta method on the ratio of two means of one
/// sample; widened where squared errors are skewed).
struct ErrorEstimate {
  double relative_error = 0.0;
  double relative_error_standard_error = 0.0;
  double relative_squared_error = 0.0;
  double relative_squared_error_standard_error = 0.0;
  double largest_entry_error = 0.0;  ///< over the probe
  Index pairs = 0;                   ///< off-diagonal pairs drawn
  Index diagonal = 0;                ///< diagonal entries compared
  Index evaluations = 0;             ///< of the similarity, for the probe, over all ranks
};

/// Off-diagonal pairs by default: the larger of 10,000 and 0.5 % of `evaluations`, at most 1e6.
[[nodiscard]] Index default_probe_pairs(Index evaluations);

/// Diagonal entries that validation_error compares, at most.
inline constexpr Index validation_diagonal_entries = 1000;

/// Compares K~ with K on the whole diagonal and on `pairs` off-diagonal pairs (with replacement, addressed by (seed,
/// Stream::probe)). Two strata: n (n - 1) entries off the diagonal; n on it, which add no doubt.
///
/// Where the error sits in few entries, uniform pairs would miss them. So half of the pairs take i and j each with
/// probability a_i = r_i / sum of r, r_i = |K~_ii - K_ii|, given that they differ: where K - K~ is positive
/// semidefinite, (K~_ij - K_ij)² <= r_i r_j; elsewhere (sicur on an indefinite K) r may miss what is large. The others
/// are uniform. Each is weighted by 1 / p_ij, p_ij = (1 / (n (n - 1))
/// + a_i a_j / (1 - sum of a²)) / 2: importance sampling from a mixture whose uniform half bounds the weights
/// (Hesterberg 1995; Owen and Zhou 2000). Draws by residual that met one object twice are replaced by uniform ones.
///
/// The list of pairs is one for all ranks, which take contiguous shares; sums are added in its order. Memory: 24 bytes
/// a pair, and the objects, lists and factor rows of a batch of up to 2^20 entries: some 300 MB a rank at most.
/// @throws Error(usage) unless pairs >= 2 (or n = 1), Error(numeric) where the probed entries of K are all 0.
/// Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& objects, Index pairs);

/// The same from uniform pairs and at most validation_diagonal_entries of the diagonal (Stream::validation_probe),
/// which do not depend on K~: candidates share one probe. Knows less where the error sits in few entries. Collective.
template <class T>
[[nodiscard]] ErrorEstimate validation_error(const Execution& execution, const Approximation<T>& approximation,
                                             const Similarity<T>& similarity, const ObjectSet& objects, Index pairs);

}  // namespace cairn
