// The error of an approximation from entries of K that were drawn for this purpose alone.
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
  Index diagonal = 0;                ///< diagonal entries drawn
  Index evaluations = 0;             ///< of the similarity, for the probe, over all ranks
};

/// Off-diagonal pairs by default: the larger of 10,000 and 0.5 % of `evaluations`, at most 1e6.
[[nodiscard]] Index default_probe_pairs(Index evaluations);

/// Draws `pairs` uniform off-diagonal pairs (with replacement) and min(n, 1000) diagonal entries (without), addressed
/// by (seed, stream), and compares K~ with K there. Two strata: n (n - 1) entries off the diagonal, n on it.
///
/// Ranks take contiguous shares of one list of pairs; sums are added in its order, so that the estimate does not depend
/// on the number of ranks. Memory: the objects of a batch, at most 64 MiB a rank.
/// @throws Error(usage) unless pairs >= 2 (or n = 1), Error(numeric) where the probed entries of K are all 0.
/// Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& objects, Index pairs,
                                        Stream stream);

}  // namespace cairn
