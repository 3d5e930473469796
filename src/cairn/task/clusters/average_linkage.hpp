// Agglomerative clustering by average linkage.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/base/schedule/execution.hpp"

namespace cairn {

/// Merge of two clusters. Clusters are named by their first object.
struct Merge {
  Index into = 0, from = 0;  ///< into < from; the union is called `into`
  double average = 0.0;      ///< mean similarity (or distance) between an object of one and an object of the other
};

/// Clusters of objects and the averages of a symmetric matrix over pairs of them. Each rank holds some of the clusters.
class ClusterAverages {
 public:
  virtual ~ClusterAverages() = default;

  [[nodiscard]] virtual const RowPartition& partition() const = 0;
  [[nodiscard]] virtual Meaning meaning() const = 0;
  /// Averages that differ by less count as equal: the difference is rounding.
  [[nodiscard]] virtual double rounding() const = 0;
  /// out[k] = average over cluster `tip` and cluster own[k] of this rank. Collective.
  virtual void averages(Index tip, std::span<const Index> own, std::span<double> out) = 0;
  /// Makes `into` the union of both. Collective.
  virtual void merge(Index into, Index from) = 0;
};

/// Averages of K~ = L J Rᵀ without K~: sum of the rows of L over A · J · (sum of the rows of R over B)ᵀ / (|A| |B|). If
/// the factors are not symmetric, the mean of both directions.
/// Memory over all ranks: n p doubles, twice this if R is not L; a sparse L is made dense. Time of a step: n p / ranks,
/// and one product of J with a vector.
/// @throws Error(usage) for the square root of L J Rᵀ, whose averages cannot be computed from sums. References must
///   outlive the returned object. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<ClusterAverages> averages_of_factors(const Execution& execution,
                                                                   const Approximation<T>& approximation);

/// Averages of K itself: all n² entries are evaluated.
/// Memory over all ranks: n² doubles. Time of a step: n / ranks; of a merge: one message of n doubles.
/// @throws Error(usage) for a one-sided similarity. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<ClusterAverages> averages_of_matrix(const Execution& execution,
                                                                  const Similarity<T>& similarity,
                                                                  const ObjectSet& objects);

/// All n - 1 merges, best first: the dendrogram of average linkage (UPGMA), by nearest-neighbor chains (Benzécri 1982;
/// Murtagh 1983), in at most 3 n steps. Among equally near neighbors, the preceding element of the chain is preferred,
/// then the one with the lowest number, so that the result does not depend on the number of ranks. The same on every
/// rank, 24 bytes per merge. Collective.
[[nodiscard]] std::vector<Merge> average_linkage(const Execution& execution, ClusterAverages& clusters);

/// Cluster of each object after the first `merges` merges, numbered from 0 in the order of their first objects. Local.
/// Memory: n numbers.
[[nodiscard]] std::vector<Index> cut(std::span<const Merge> merges, std::size_t count, Index objects);

/// Sizes of clusters, in objects.
struct ClusterSizes {
  Index largest = 0, median = 0;
  Index single = 0;  ///< clusters of one object
};
/// @param cluster  of each object, numbered as by cut(); at least one object. Local.
[[nodiscard]] ClusterSizes sizes_of(std::span<const Index> cluster);

/// Number of merges whose average is at least (distances: at most) the threshold. Local.
[[nodiscard]] std::size_t merges_within(std::span<const Merge> merges, double threshold, Meaning meaning);

}  // namespace cairn
