// Contraction hierarchies of graphs with small separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/similarity/shortest_paths/chordal_completion.hpp"
#include "cairn/similarity/shortest_paths/customization.hpp"

namespace cairn {

/// Arcs between vertices and their ancestors; those of place p are starts[p] .. starts[p + 1].
struct AncestorArcs {
  std::vector<Index> starts;
  std::vector<std::int32_t> heads;  ///< places, smaller than p; descending
  std::vector<double> lengths;
};

/// A graph on the same vertices in which the shortest path between any two first goes up and then down: arcs are
/// between a vertex and ancestors in an elimination tree, and have the length of the shortest path from one to the
/// other.
///
/// Path lengths are elimination in the semiring (min, +) [Dibbelt, Strasser and Wagner 2016, Customizable contraction
/// hierarchies]. From the chordal completion of an elimination order, only those arcs are kept that are shorter than
/// every path over a third vertex above their lower end, in each direction. (Every shortest path has a counterpart of
/// kept arcs. Let m be the highest vertex on any shortest path from s to t. From s go to the nearest vertex above s on
/// a shortest path to m: that arc is kept; and so on.)
struct ContractionHierarchy {
  EliminationTree tree;
  AncestorArcs up;    ///< from vertices to their ancestors; if not directed also back
  AncestorArcs down;  ///< from the ancestors to the vertices; empty if not directed
  bool directed = false;
  bool whole = true;                   ///< every length is an integer
  double longest = 0.0;                ///< upper bound of path lengths, see longest_path.hpp
  Index completion_arcs = 0;           ///< arcs before unneeded ones were removed
  Index core = 0;                      ///< see EliminationOrder
  [[nodiscard]] Index height() const;  ///< vertices of the longest path to a root
};

/// Local, deterministic. Memory: 30 bytes per arc of the completion while it runs; 40 for a directed graph.
/// @param refused  reason if a limit is met, one sentence; the result is then unusable. Else left empty.
/// @throws Error(resource) as elimination_order
[[nodiscard]] ContractionHierarchy contract(const SharedGraph& graph, const HierarchyLimits& limits,
                                            std::string& refused);

/// Sets the lengths of the arcs that are edges of the graph, in both directions if it is directed. Local.
void set_lengths_of_edges(const SharedGraph& graph, const ChordalCompletion& completion, const ArcLengths& lengths);

}  // namespace cairn
