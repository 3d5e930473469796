// Chordal completions of graphs with small separators: hierarchies without their lengths.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cairn/similarity/shortest_paths/elimination_order.hpp"

namespace cairn {

/// The edges of a graph and those that elimination in the order of `tree` adds, as arcs from a vertex to ancestors. The
/// heads of a vertex are ancestors of each other; all but the nearest are also heads of the nearest. It depends on no
/// length, and on no direction: any are computed on it (see customization.hpp).
struct ChordalCompletion {
  EliminationTree tree;
  std::vector<Index> starts;        ///< of the arcs of each place; n + 1
  std::vector<std::int32_t> heads;  ///< places, descending within the arcs of a place
  Index core = 0;                   ///< see EliminationOrder

  [[nodiscard]] Index arcs() const { return static_cast<Index>(heads.size()); }
};

/// Limits of the construction.
struct HierarchyLimits {
  double core_degree = 1e300;  ///< see elimination_order
  Index completion_arcs = Index{1} << 31;
  Index triangles = std::numeric_limits<Index>::max();  ///< pairs of arcs of one vertex, by which lengths are found
};

/// Local, deterministic. Memory: 8 bytes per arc and 60 per vertex.
/// @param refused  reason if a limit is met, one sentence; the result is then unusable. Else left empty.
/// @throws Error(resource) as elimination_order
[[nodiscard]] ChordalCompletion complete(const SharedGraph& graph, const HierarchyLimits& limits, std::string& refused);

/// The arc from a place to one of its ancestors, or -1 if there is none. Local.
[[nodiscard]] Index arc_between(std::span<const Index> starts, std::span<const std::int32_t> heads, Index place,
                                std::int32_t head);

}  // namespace cairn
