// The error of an approximation from entries of K that are evaluated for this purpose alone.
#pragma once

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/error/known_pairs.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Number of pairs on which candidates are compared: the larger of 10,000 and 0.5 % of `evaluations`, at most 1e6.
[[nodiscard]] Index default_probe_pairs(Index evaluations);

/// Upper limits of a probe: pairs without a fixed number, and objects of `n` with or without it.
inline constexpr Index validation_diagonal_entries = 1000;

/// Largest number of diagonal entries that validation_error compares.
[[nodiscard]] Index most_probe_pairs(Index n);
[[nodiscard]] Index most_probe_objects(Index n, std::optional<Index> pairs);
/// Number of pairs and objects of the first look, which no time limit cuts.
[[nodiscard]] Index first_probe_entries(Index n);

/// Compares K~ with K on objects drawn uniformly without replacement (Stream::probe): on the diagonal, and on pairs of
/// them. Two strata: n (n - 1) entries off the diagonal; n on it. The variance between objects counts if they are not
/// all of the n.
///
/// If the error is concentrated in few entries, uniform pairs would miss them. So half of the pairs take i and j each
/// with probability a_i = r_i / sum of r, r_i = |K~_ii - K_ii|, given that they differ: if K - K~ is positive
/// semidefinite, (K~_ij - K_ij)² <= r_i r_j; otherwise (sicur on an indefinite K) r may miss large errors. The other
/// pairs are uniform, and all are weighted (ProbeDraws): importance sampling from a mixture whose uniform half bounds
/// the weights (Hesterberg 1995; Owen and Zhou 2000).
///
/// Without a fixed count: 128 objects and 1024 pairs, both doubled until the standard error is below effort.precision
/// of the estimate (tested from 2048 pairs on), effort.seconds do not suffice for the next doubling, or 2^18 pairs are
/// reached; if that is no fewer than K has, all entries are compared and the error is exact. With effort.count pairs:
/// all objects if they are at most 10,000, else the larger of 10,000 and an eighth of the pairs.
///
/// Every rank takes contiguous shares of lists that are the same on all; sums are added in their order. Memory per
/// rank: 120 bytes per pair, and the objects, lists and factor rows of a batch of up to 2^20 entries: some 300 MB at
/// most.
/// @throws Error(usage) unless effort.count >= 2 (or n = 1), Error(numeric) if the probed entries of K are all 0.
/// Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& objects,
                                        const EstimateEffort& effort);

/// The same for a K whose columns are other objects than its rows: from uniformly drawn pairs of a row and a column,
/// effort.count of them, or 1024, doubled as above. Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& rows,
                                        const ObjectSet& columns, const EstimateEffort& effort);

/// The same from `pairs` uniform pairs of all objects and at most validation_diagonal_entries uniform entries of the
/// diagonal (Stream::validation_probe), which do not depend on K~: candidates are compared on one probe. Less accurate
/// if the error is concentrated in few entries. @param known  entries of K that need not be evaluated, or null; newly
/// evaluated ones are added. Collective.
template <class T>
[[nodiscard]] ErrorEstimate validation_error(const Execution& execution, const Approximation<T>& approximation,
                                             const Similarity<T>& similarity, const ObjectSet& objects, Index pairs,
                                             KnownPairs<T>* known = nullptr);

/// Smallest number of new objects for which unseen_error gives an error.
inline constexpr Index fewest_unseen = 4;

/// ||K~ - K||_F / ||K||_F among new objects, for comparison with that among the `old` ones from which K~ was computed:
/// new objects are a sample of all possible ones, and each diagonal entry counts as in a matrix of `old` rows, sum of
/// squares = mean over pairs * (1 - 1 / old) + mean over the diagonal / old, however few the new objects are. Compares
/// up to validation_diagonal_entries of them, drawn uniformly (Stream::validation_probe), with themselves, and `pairs`
/// uniform pairs of them, or all their pairs if these are no more. The standard error includes the variance between
/// objects, times sqrt((m - 1) / (m - 3)), the standard deviation of Student's t for m objects.
/// @param old    number of objects of the extended result, at least 1
/// @param pairs  at least 2
/// @throws Error(usage) for fewer than fewest_unseen objects; Error(numeric) as estimate_ratio. Collective.
template <class T>
[[nodiscard]] ErrorEstimate unseen_error(const Execution& execution, const Approximation<T>& approximation,
                                         const Similarity<T>& similarity, const ObjectSet& objects, Index old,
                                         Index pairs);

}  // namespace cairn
