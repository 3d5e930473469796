// How well distances between coordinates agree with those that an approximation holds.
#pragma once

#include "cairn/task/embedding/classical_scaling.hpp"

namespace cairn {

/// sqrt(Σ (‖y_i - y_j‖ - d_ij)² / Σ d_ij²) over `pairs` of different objects, uniform, with replacement, addressed by
/// (execution.seed, Stream::probe): the stress, relative to the distances. [Kruskal 1964, in the form that divides by
/// the given distances] d_ij is the root of K~_ij where that is a squared distance, else of K~_ii + K~_jj - 2 K~_ij; of
/// negative numbers it is 0. Ranks take contiguous shares of the pairs, in batches.
/// Memory: 100,000 pairs of a batch: 2 D + 20 doubles each, and what approximate_entries takes.
/// @param near  S, if K~ is L J Rᵀ + S, or null @param coordinates  n x D, split as the factors are
/// @return  0 if all distances are. Collective.
template <class T>
[[nodiscard]] double distance_stress(const Execution& execution, const Approximation<T>& approximation,
                                     const NearEntries<T>* near, ScaledValues values,
                                     const RowBlock<double>& coordinates, Index pairs);

}  // namespace cairn
