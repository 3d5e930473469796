// The biharmonic operator of a point cloud.
#pragma once

#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/operator/nearest_neighbours.hpp"

namespace cairn {

/// How the manifold that points lie on is estimated.
struct NeighbourParameters {
  Index neighbours = 20;     ///< t
  double perplexity = 20.0;  ///< of a point's weights, above 1
  NeighbourSearch search = NeighbourSearch::automatic;
  NeighbourKeys keys{};
};

/// A_ij = (p_j|i + p_i|j) / 2 where j is one of the t nearest neighbours of i or i one of j's, p_j|i the probabilities
/// of Stochastic Neighbor Embedding over these neighbours of i, at equal perplexity; D = I.
/// [Turek and Huth 2022, equation 9]
///
/// A point has t or more such neighbours, so that a perplexity of t or above means something: points that have no more
/// neighbours than the perplexity give them equal probabilities, the limit. Weights
/// that are 0 (many points in one place leave nothing for others) are not in A. A is exactly symmetric, and the same
/// for any number of ranks. The graph of A may fall into components.
/// @throws Error(usage) for perplexity <= 1; and as nearest_neighbours. Collective.
/// Memory: at most 24 bytes a neighbour once per node, and about 100 for each that a rank's points have meanwhile.
template <class T>
[[nodiscard]] BiharmonicOperator neighbour_operator(const Execution& execution, const PointSet<T>& points,
                                                    const NeighbourParameters& parameters);

}  // namespace cairn
