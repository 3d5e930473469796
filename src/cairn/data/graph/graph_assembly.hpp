// Assembly of a distributed graph from edges in any order. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Edges that one rank has read: `ends` holds u, v of each edge in turn; `lengths` has one weight per edge if
/// `weighted`. If they are directed, each is an arc from u to v.
struct EdgeList {
  std::vector<Index> ends;
  std::vector<double> lengths;
  bool weighted = false;
  bool directed = false;
};

/// Sends each edge to the owners of both ends, which sort the edges and merge repeated ones (the smallest weight is
/// kept).
///
/// @param edges  no loops, ends below `vertices`; consumed
/// The report counts the repeated edges. Collective. Memory: at most 4 arcs of 16 bytes (24 with weights) per edge.
[[nodiscard]] Graph assemble_graph(const Communicator& communicator, Index vertices, EdgeList edges);

/// The same; the report also has the number of components, the number of edges and the range of their weights.
/// @param largest_component  keep only the vertices of the largest component; otherwise all components are kept
/// @param keys  key names for the report. Collective.
[[nodiscard]] Graph make_graph(const Communicator& communicator, Index vertices, EdgeList edges, bool largest_component,
                               const KeyNames& keys);

/// The graph on the vertices that are kept, renumbered in order, without edges to the others.
///
/// @param keeps  one per own vertex
/// The report continues that of the graph: original_ids and dropped_vertices. Collective. Memory: 8 bytes per vertex of
/// the whole graph, once per node.
[[nodiscard]] Graph keep_vertices(const Communicator& communicator, const Graph& graph, const std::vector<bool>& keeps);

/// Replaces the ends of edges by their positions among all different ends of all ranks, ascending.
/// @return this rank's part of the different ends, in a RowPartition of their number. Collective.
[[nodiscard]] std::vector<Index> compact_ends(const Communicator& communicator, EdgeList& edges);

/// Redistributes values that are contiguous over ranks. @param mine  this rank's values, in order @param partition  of
/// their total number @return the values of this rank's range. Collective.
template <class T>
[[nodiscard]] std::vector<T> redistribute(const Communicator& communicator, const RowPartition& partition,
                                          std::span<const T> mine);

}  // namespace cairn
