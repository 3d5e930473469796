// The biharmonic operator of a point cloud.
#pragma once

#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/operator/nearest_neighbors.hpp"

namespace cairn {

/// Parameters for the estimate of the manifold on which points lie.
struct NeighborParameters {
  Index neighbors = 20;      ///< t
  double perplexity = 20.0;  ///< of a point's weights, above 1
  NeighborSearch search = NeighborSearch::automatic;
  NeighborKeys keys{};
};

/// A_ij = (p_j|i + p_i|j) / 2 if one of i and j is among the t nearest neighbors of the other; p_j|i are the
/// probabilities of Stochastic Neighbor Embedding over these neighbors of i, at equal perplexity; D = I. [Turek and
/// Huth 2022, equation 9]
///
/// A point has t or more such neighbors, so a perplexity of t or above is meaningful: points with no more neighbors
/// than the perplexity give them equal probabilities, the limit. Weights that are 0 (many points in one place leave
/// nothing for others) are not in A. A is exactly symmetric, and the same for any number of ranks. The graph of A may
/// be disconnected.
/// @throws Error(usage) for perplexity <= 1; and as nearest_neighbors. Collective.
/// Memory: at most 24 bytes per neighbor once per node; meanwhile about 100 per neighbor of a rank's points.
template <class T>
[[nodiscard]] BiharmonicOperator neighbor_operator(const Execution& execution, const PointSet<T>& points,
                                                   const NeighborParameters& parameters);

}  // namespace cairn
