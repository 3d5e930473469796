// Small vertex separators of a graph.
#pragma once

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Upper bound on the size of the smallest vertex separator: the smallest level of a breadth-first search, from a
/// vertex farthest from vertex 0, that leaves at most two thirds of the n vertices on each side; n if there is none.
/// Meshes and road networks have separators of a few percent, social networks have none. Edges count as 1.
/// @param graph  connected, not empty. Local; O(arcs) time, 4 bytes per vertex.
[[nodiscard]] Index level_separator(const SharedGraph& graph);

}  // namespace cairn
