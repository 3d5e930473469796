// Matchings in bipartite graphs. Private to this folder: its source is C++17, for LEMON, so that nothing newer stands
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn {

/// An edge of a bipartite graph.
struct WeightedEdge {
  std::int64_t left = 0, right = 0;  ///< numbers from 0, each side for itself
  double weight = 0.0;               ///< between 0 and 1
};

/// Places of the edges of a matching with the largest sum of weights; weights count to 2^-40. By Edmonds' algorithm of
/// LEMON. Local. Time O(n m log n).
[[nodiscard]] std::vector<std::size_t> heaviest_matching(std::int64_t left, std::int64_t right,
                                                         const std::vector<WeightedEdge>& edges);

}  // namespace cairn
