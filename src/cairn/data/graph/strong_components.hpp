// Strong components of directed graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Numbers of the strong components, the sets of vertices in which a path leads from each vertex to each, by vertex
/// [Tarjan 1972]. An arc leads to a component with the same or a smaller number. Local. Memory: 28 bytes per vertex.
/// @param starts, heads, lengths  arcs in compressed rows; one of infinite length does not exist
[[nodiscard]] std::vector<std::int32_t> strong_components(std::span<const Index> starts,
                                                          std::span<const std::int32_t> heads,
                                                          std::span<const double> lengths);

/// The same of a graph, as connected_components: a component is called by its smallest vertex. Collective. Memory: the
/// graph, and the numbers of components, once per node.
[[nodiscard]] Components strong_components(const Communicator& communicator, const Graph& graph);

}  // namespace cairn
