// The t nearest neighbours of every point, exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How neighbours are looked for. Both ways find the same.
enum class NeighbourSearch {
  automatic,  ///< the tree up to tree_dimension coordinates
  tree,       ///< a k-d tree of all points on every rank, which hold them once per node
  products    ///< every point against every other, by matrix products; points go round in blocks
};

/// What messages call the parameters behind a search of neighbours.
struct NeighbourKeys {
  KeyNames own{};   ///< of neighbours, perplexity
  KeyNames data{};  ///< of the points (scaling)
};

/// Beyond it a search in a k-d tree visits most of its leaves.
inline constexpr Index tree_dimension = 15;

/// The `each` nearest other points of every point that this rank owns.
struct NearestNeighbours {
  Index each = 0;
  std::vector<std::int32_t> indices;      ///< own points x each, the nearest first
  std::vector<double> squared_distances;  ///< likewise

  [[nodiscard]] std::span<const std::int32_t> indices_of(Index own) const {
    return std::span(indices).subspan(static_cast<std::size_t>(own * each), static_cast<std::size_t>(each));
  }
  [[nodiscard]] std::span<const double> squared_distances_of(Index own) const {
    return std::span(squared_distances).subspan(static_cast<std::size_t>(own * each), static_cast<std::size_t>(each));
  }
};

/// The `each` points of the smallest Euclidean distance to each own point, itself left out; of points that are equally
/// far those with the lowest numbers. Distances are summed in double precision coordinate by coordinate, so that the
/// result is the same for any number of ranks and either search.
///
/// @throws Error(usage) for each < 1 and each >= n, Error(resource) for 2^31 points and more, Error(numeric) where
///   distances overflow. Collective.
/// Memory: 16 bytes a neighbour; `tree`: the points once per node and about 20 bytes a point on every rank.
template <class T>
[[nodiscard]] NearestNeighbours nearest_neighbours(const Execution& execution, const PointSet<T>& points, Index each,
                                                   NeighbourSearch search = NeighbourSearch::automatic,
                                                   const NeighbourKeys& keys = {});

/// What nearest_neighbours takes beside the points of a rank.
struct NeighbourSearchBytes {
  Index own = 0;
  Index shared = 0;  ///< once per node
};

/// @param own  points of the rank @param value_bytes  of a coordinate. Local.
[[nodiscard]] NeighbourSearchBytes neighbour_search_bytes(Index points, Index own, Index dimension, Index each,
                                                          Index value_bytes, int threads);

}  // namespace cairn
