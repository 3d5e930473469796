// Graphs made by rule, so that everything runs without data. Private to this folder.
#pragma once

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// grid: side x side vertices, side = floor(sqrt(points)), row by row, each joined to those beside, above and below it;
/// each edge is removed with the probability `removed`, independently, so that the graph may be disconnected. Which
/// edges are removed is a function of (seed, edge) alone. No lengths.
/// @throws Error(usage) for another kind, points < 1, removed outside [0, 1). Collective.
[[nodiscard]] Graph generate_graph(const Communicator& communicator, const GraphSource& source);

}  // namespace cairn
