// The biharmonic operator of a graph.
#pragma once

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// A = adjacency (weights 1, whatever the edge weights), D = I.     [Turek and Huth 2022, section 3.1]
/// Shares the graph's arrays. Collective.
[[nodiscard]] BiharmonicOperator graph_operator(const Communicator& communicator, const SharedGraph& graph);

/// The same for the edges of a mesh, whatever its geometry. Collective. Memory: 4 bytes per arc and 16 per vertex once
/// per node; meanwhile 24 more per triangle on one of its ranks.
[[nodiscard]] BiharmonicOperator graph_operator(const Communicator& communicator, const TriangleMesh& mesh);

}  // namespace cairn
