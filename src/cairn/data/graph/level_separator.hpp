// How far a graph can be cut in two.
#pragma once

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Size of a vertex separator, an upper bound of the smallest: the smallest level of a breadth-first search, from a
/// vertex that is farthest from vertex 0, which leaves at most two thirds of the n vertices on each side; n where there
/// is none. Meshes and road networks have one of a few percent, social networks none. Edges count as 1.
/// @param graph  connected, with a vertex. Local; O(arcs) time, 4 bytes a vertex.
[[nodiscard]] Index level_separator(const SharedGraph& graph);

}  // namespace cairn
