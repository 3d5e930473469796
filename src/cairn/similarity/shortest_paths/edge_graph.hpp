// The edges of a mesh as a graph.
#pragma once

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn {

/// The edges of the triangles with their lengths in space: 0 between vertices at one place, which searches along edges
/// (make_dijkstra) accept. Collective. Memory: as graph_operator, and 8 bytes per arc once per node.
[[nodiscard]] SharedGraph edge_graph(const Communicator& communicator, const TriangleMesh& mesh);

}  // namespace cairn
