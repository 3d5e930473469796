// Orders in which the vertices of a graph can be eliminated with little fill.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// An elimination tree with its vertices in preorder: the root first, ancestors before descendants, and all vertices
/// below one vertex contiguous. Elimination goes from the last vertex to the first.
struct EliminationTree {
  std::vector<std::int32_t> vertex_at;  ///< by place
  std::vector<std::int32_t> place_of;   ///< by vertex
  std::vector<std::int32_t> parent;     ///< place of the parent, by place; -1 for a root
  std::vector<std::int32_t> depth;      ///< number of ancestors of the vertex, by place
  [[nodiscard]] Index size() const { return static_cast<Index>(vertex_at.size()); }
};

/// Vertices in elimination order, and the number left after the first rule.
struct EliminationOrder {
  std::vector<std::int32_t> vertices;
  Index core = 0;            ///< vertices ordered by nested dissection
  double core_degree = 0.0;  ///< their mean degree at that time
};

/// First eliminates vertices of degree 0 to 2, which joins their neighbors, in rounds of vertices that are not adjacent
/// (a chain then adds the logarithm of its length to the height of the tree, not its length). Then orders the rest by
/// nested dissection (METIS_NodeND; Karypis and Kumar 1998). Deterministic, local.
/// @param most_core_degree  if the mean degree of the rest is larger, the rest is not ordered: `vertices` is short
/// @throws Error(resource) if METIS cannot count the arcs
[[nodiscard]] EliminationOrder elimination_order(const SharedGraph& graph, double most_core_degree);

/// The elimination tree of that order [Liu 1990].
[[nodiscard]] EliminationTree elimination_tree(const SharedGraph& graph, const std::vector<std::int32_t>& order);

}  // namespace cairn
