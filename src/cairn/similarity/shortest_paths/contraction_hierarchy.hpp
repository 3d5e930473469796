// Contraction hierarchies of graphs with small separators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/similarity/shortest_paths/elimination_order.hpp"

namespace cairn {

/// A graph on the same vertices in which the shortest path between any two first goes up and then down: arcs lead from
/// a vertex to ancestors in an elimination tree, and each has the length of the shortest path between its ends.
///
/// Path lengths are elimination in the semiring (min, +) [Dibbelt, Strasser and Wagner 2016, Customizable contraction
/// hierarchies]: of the chordal completion of an elimination order only those arcs are kept that no path over a third
/// vertex above their lower end equals. (Every shortest path has a counterpart of kept arcs: let m be the highest
/// vertex on any shortest path from s to t; from s go to the nearest vertex above s on a shortest path to m: that arc
/// is kept; and so on.)
struct ContractionHierarchy {
  EliminationTree tree;
  std::vector<Index> starts;        ///< of arcs upward, by place
  std::vector<std::int32_t> heads;  ///< places, smaller than the tail's; descending
  std::vector<double> lengths;
  bool whole = true;                   ///< every length is an integer
  double longest = 0.0;                ///< no path is longer: twice the eccentricity of a root, the largest over roots
  Index completion_arcs = 0;           ///< arcs upward before those that are not needed were left out
  Index core = 0;                      ///< see EliminationOrder
  [[nodiscard]] Index height() const;  ///< vertices of the longest path to a root
};

/// What may be spent.
struct HierarchyLimits {
  double core_degree = 1e300;  ///< see elimination_order
  Index completion_arcs = Index{1} << 31;
};

/// Local, deterministic; takes 30 bytes an arc of the completion while it runs.
/// @param refused  why a limit was met, one sentence; else left empty. What is returned is then of no use.
/// @throws Error(resource) as elimination_order
[[nodiscard]] ContractionHierarchy contract(const SharedGraph& graph, const HierarchyLimits& limits,
                                            std::string& refused);

}  // namespace cairn
