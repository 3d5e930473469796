// Matchings in bipartite graphs. Private to this folder. Its source is C++17 because of LEMON, so this header uses
// nothing newer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn {

/// An edge of a bipartite graph.
struct WeightedEdge {
  std::int64_t left = 0, right = 0;  ///< numbers from 0, separately for each side
  double weight = 0.0;               ///< between 0 and 1
};

/// Indices of the edges of a matching with maximum total weight. Weights are rounded to 2^-40. Uses Edmonds' algorithm
/// of LEMON. Local. Time O(n m log n).
[[nodiscard]] std::vector<std::size_t> heaviest_matching(std::int64_t left, std::int64_t right,
                                                         const std::vector<WeightedEdge>& edges);

}  // namespace cairn
