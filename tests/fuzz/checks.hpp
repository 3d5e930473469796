// What every graph and mesh that a reader gives is to be.
#pragma once

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn::fuzz {

/// Both arcs of every edge, neighbors ascending, no loops, positive lengths. @throws std::logic_error
void check(const Graph& graph);
/// Corners in range and different, every vertex in a triangle. @throws std::logic_error
void check(const TriangleMesh& mesh);

}  // namespace cairn::fuzz
