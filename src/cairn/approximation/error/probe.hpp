// The error of an approximation from entries of K that are evaluated for this purpose alone.
#pragma once

#include <optional>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/error/known_pairs.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

/// Number of pairs on which candidates are compared: the larger of 10,000 and 0.5 % of `evaluations`, at most 1e6.
[[nodiscard]] Index default_probe_pairs(Index evaluations);

inline constexpr Index validation_diagonal_entries = 1000;

/// Number of the n objects among which candidates are compared on so many pairs: a tenth of the pairs, but
/// validation_diagonal_entries at least; all n if they are no more than twice that. Local.
[[nodiscard]] Index validation_objects(Index n, Index pairs);

/// The matrix that a probe compares.
struct ProbedMatrix {
  Index rows = 0, columns = 0;
  bool square = true;        ///< its columns stand for the objects of its rows
  Index factor_columns = 0;  ///< of L
};

/// Numbers of entries that a probe compares.
struct ProbeSize {
  Index pairs = 0;     ///< off the diagonal: the number that was asked for, or the largest
  Index diagonal = 0;  ///< on the diagonal; as many objects as there are if they are few
  Index first = 0;     ///< in the first look, which no time limit cuts
};

/// Without a fixed number of pairs: a `share` of the number of entries of L, but 4,096 pairs at least and 2^18 at most.
/// On the diagonal half as many, but 1,024 at least, and at most as many as cost 1e9 multiply-adds for rows of L J (s²
/// each), where 2,048 are always allowed and 65,536 are the limit; all if they are no more than twice that. With a
/// fixed number of pairs these, but 10,000 at least; without a limit of the share 65,536. Local.
[[nodiscard]] ProbeSize probe_size(const ProbedMatrix& matrix, std::optional<Index> pairs, double share);

/// Number of pairs of a run, for which a row of L J is computed once, for a dense J. A row costs s² multiply-adds, a
/// pair s: with many columns a row serves more pairs. Local.
[[nodiscard]] Index probe_run(Index factor_columns);

/// Estimates ||K~ - K||_F / ||K||_F from random entries of K on objects of a sample: all n if these are no more than
/// ProbeSize::diagonal. Otherwise a third of the objects is uniform, a third has probability e_i, the share of row i in
/// ||L||_F², and a third e_i² / sum of e²; uniform without replacement if all e_i are alike. The diagonal is compared
/// at all of them.
///
/// A third of the pairs is uniform. A third is drawn with probability e_i f_j, f_j the share of row j in ||R||_F²: K
/// may have few large entries, and those that the landmarks see are seen in L. A third is drawn with probability a_i
/// a_j, a_i = r_i / sum of r, r_i = |K~_ii - K_ii|: where the landmarks see nothing the error is large, and if K - K~
/// is positive semidefinite, (K~_ij - K_ij)² <= r_i r_j. All are weighted by the inverse of the density of the mixture,
/// which its uniform third bounds: stratified importance sampling (Hesterberg 1995; Owen and Zhou 2000). A part whose
/// weights are all alike is left out. Pairs come in runs of 8 to 32 with one row, for which a row of L J is computed
/// once.
///
/// The standard error is at least the error over the number of pairs, unless all entries were compared.
///
/// Without a fixed count: 4096 pairs, doubled until the standard error is at most effort.precision of the estimate and
/// the estimate lies within two standard errors of the look before, effort.seconds do not suffice for the next
/// doubling, the choice of objects leaves more doubt than that of pairs, or ProbeSize::pairs are reached; if that is no
/// fewer than K has, all entries are compared and the error is exact.
///
/// Every rank takes contiguous shares of lists that are the same on all; sums are added in their order. Memory per
/// rank: 200 bytes per pair; 24 bytes per own row; 200 bytes per object of the sample; and the objects, lists and
/// factor rows of a batch of up to 2^20 entries: some 300 MB at most.
/// @throws Error(usage) unless effort.count >= 2 (or n = 1), Error(numeric) if the probed entries of K are all 0.
/// Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& objects,
                                        const EstimateEffort& effort);

/// The same for a K whose columns are other objects than its rows, from uniform pairs of both. Collective.
template <class T>
[[nodiscard]] ErrorEstimate probe_error(const Execution& execution, const Approximation<T>& approximation,
                                        const Similarity<T>& similarity, const ObjectSet& rows,
                                        const ObjectSet& columns, const EstimateEffort& effort);

/// The error from `pairs` pairs and the diagonal of validation_objects(n, pairs), with Stream::validation_probe. They
/// are drawn as in probe_error, but none by residuals: the draws depend on L alone, so that candidates of the same L
/// are compared on the same entries.
/// @param known  entries of K that need not be evaluated, or null; newly evaluated ones are added. Collective.
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
