// The t nearest neighbors of every point, exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Method of the neighbor search. Both methods give the same result.
enum class NeighborSearch {
  automatic,  ///< the tree up to tree_dimension coordinates
  tree,       ///< a k-d tree of all points on every rank; the points are held once per node
  products    ///< every point against every other, by matrix products; points are broadcast in blocks
};

/// Names of the parameters of a neighbor search in messages.
struct NeighborKeys {
  KeyNames own{};   ///< neighbors, perplexity
  KeyNames data{};  ///< of the points (scaling)
};

/// With more coordinates, a search in a k-d tree visits most of its leaves.
inline constexpr Index tree_dimension = 15;

/// The `each` nearest other points of every point that this rank owns.
struct NearestNeighbors {
  Index each = 0;
  std::vector<std::int32_t> indices;      ///< own points x each, the nearest first
  std::vector<double> squared_distances;  ///< likewise

  [[nodiscard]] std::span<const std::int32_t> indices_of(Index own) const {
    return std::span(indices).subspan(own * each, each);
  }
  [[nodiscard]] std::span<const double> squared_distances_of(Index own) const {
    return std::span(squared_distances).subspan(own * each, each);
  }
};

/// The `each` points with the smallest Euclidean distance to each own point, excluding itself; of equally distant
/// points those with the lowest numbers. Distances are summed in double precision coordinate by coordinate, so that the
/// result is the same for any number of ranks and either search.
///
/// @throws Error(usage) for each < 1 and each >= n, Error(resource) for 2^31 points and more, Error(numeric) if
///   distances overflow. Collective.
/// Memory: 16 bytes per neighbor; `tree`: the points once per node and about 20 bytes per point on every rank.
template <class T>
[[nodiscard]] NearestNeighbors nearest_neighbors(const Execution& execution, const PointSet<T>& points, Index each,
                                                 NeighborSearch search = NeighborSearch::automatic,
                                                 const NeighborKeys& keys = {});

/// Memory of nearest_neighbors beside the points of a rank.
struct NeighborSearchBytes {
  Index own = 0;
  Index shared = 0;  ///< once per node
};

/// @param own  points of the rank @param value_bytes  of a coordinate. Local.
[[nodiscard]] NeighborSearchBytes neighbor_search_bytes(Index points, Index own, Index dimension, Index each,
                                                        Index value_bytes, int threads);

}  // namespace cairn
