// Contraction hierarchies of graphs with small separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/similarity/shortest_paths/elimination_order.hpp"

namespace cairn {

/// A graph on the same vertices in which the shortest path between any two first goes up and then down: arcs lead from
/// a vertex to ancestors in an elimination tree, and have the length of the shortest path between their ends.
///
/// Path lengths are elimination in the semiring (min, +) [Dibbelt, Strasser and Wagner 2016, Customizable contraction
/// hierarchies]. From the chordal completion of an elimination order, only those arcs are kept that are shorter than
/// every path over a third vertex above their lower end. (Every shortest path has a counterpart of kept arcs. Let m be
/// the highest vertex on any shortest path from s to t. From s go to the nearest vertex above s on a shortest path to
/// m: that arc is kept; and so on.)
struct ContractionHierarchy {
  EliminationTree tree;
  std::vector<Index> starts;        ///< start of the upward arcs of each place
  std::vector<std::int32_t> heads;  ///< places, smaller than the tail's; descending
  std::vector<double> lengths;
  bool whole = true;                   ///< every length is an integer
  double longest = 0.0;                ///< upper bound of path lengths: twice the largest eccentricity of a root
  Index completion_arcs = 0;           ///< upward arcs before unneeded ones were removed
  Index core = 0;                      ///< see EliminationOrder
  [[nodiscard]] Index height() const;  ///< vertices of the longest path to a root
};

/// Limits of the construction.
struct HierarchyLimits {
  double core_degree = 1e300;  ///< see elimination_order
  Index completion_arcs = Index{1} << 31;
};

/// Local, deterministic. Memory: 30 bytes per arc of the completion while it runs.
/// @param refused  reason if a limit is met, one sentence; the result is then unusable. Else left empty.
/// @throws Error(resource) as elimination_order
[[nodiscard]] ContractionHierarchy contract(const SharedGraph& graph, const HierarchyLimits& limits,
                                            std::string& refused);

}  // namespace cairn
