// The biharmonic operator of a graph.
#pragma once

#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// A = adjacency (weights 1, whatever the edges' lengths are), D = I.     [Turek and Huth 2022, section 3.1]
/// Shares the graph's arrays. Collective.
[[nodiscard]] BiharmonicOperator graph_operator(const Communicator& communicator, const SharedGraph& graph);

/// The same of the edges of a mesh, wherever its vertices are. Collective. Memory: 4 bytes an arc and 16 a vertex once
/// per node; 24 a triangle more on one rank of it meanwhile.
[[nodiscard]] BiharmonicOperator graph_operator(const Communicator& communicator, const TriangleMesh& mesh);

}  // namespace cairn
