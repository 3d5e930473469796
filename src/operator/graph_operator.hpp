// The biharmonic operator of a graph.
#pragma once

#include "data/graph.hpp"
#include "operator/biharmonic_operator.hpp"

namespace cairn {

/// A = adjacency (weights 1, whatever the edges' lengths are), D = I.     [Turek and Huth 2022, section 3.1]
/// Shares the graph's arrays. Collective.
[[nodiscard]] BiharmonicOperator graph_operator(const Communicator& communicator, const SharedGraph& graph);

}  // namespace cairn
