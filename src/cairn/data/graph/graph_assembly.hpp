// A distributed graph from edges in any order. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Edges that one rank has read: `ends` holds u, v of one after the other; `lengths` one an edge where `weighted`.
struct EdgeList {
  std::vector<Index> ends;
  std::vector<double> lengths;
  bool weighted = false;
};

/// Sends each edge to the owners of both ends, which sort them and join repeated ones (the shortest length is kept).
///
/// @param edges  no loops, ends below `vertices`; given up
/// The report counts the repeated edges. Collective. Memory: 4 arcs of 16 bytes (24 with lengths) an edge at its most.
[[nodiscard]] Graph assemble_graph(const Communicator& communicator, Index vertices, EdgeList edges);

/// The graph on the vertices that are kept, renumbered in order; there are no edges between those and the others.
///
/// @param keeps  one an own vertex
/// The report goes on from the graph's: original_ids and dropped_vertices. Collective. Memory: 8 bytes a vertex of the
/// whole graph, once per node.
[[nodiscard]] Graph keep_vertices(const Communicator& communicator, const Graph& graph, const std::vector<bool>& keeps);

/// Replaces the ends of edges by their places among all different ends of all ranks, ascending.
/// @return the different ends, those that a RowPartition of their number gives this rank. Collective.
[[nodiscard]] std::vector<Index> compact_ends(const Communicator& communicator, EdgeList& edges);

/// Values that stand contiguously over ranks, dealt anew. @param mine  this rank's, in order @param partition  of their
/// total number @return those of this rank's range. Collective.
template <class T>
[[nodiscard]] std::vector<T> redistribute(const Communicator& communicator, const RowPartition& partition,
                                          std::span<const T> mine);

}  // namespace cairn
