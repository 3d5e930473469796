// Trees that hang off a graph: what is left of it is its core.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Vertices that one edge each connects to the rest of the graph, and then those that become so, in trees of a limited
/// size. The root of a tree is the vertex of the core that it hangs off. Paths from one vertex of a tree to another
/// vertex lead through the root, unless both are in the same tree: then through their lowest common ancestor. Once per
/// node.
struct HangingTrees {
  NodeArray<std::int32_t> parents;  ///< of each vertex the next on its way to the core, or -1: it is in the core
  NodeArray<std::int32_t> roots;    ///< the root of its tree, as a number of the core; in the core its own number there
  NodeArray<double> heights;        ///< path length to its root; 0 in the core
  Index core = 0;                   ///< vertices in the core, which are numbered there in the order of the graph

  [[nodiscard]] Index size() const { return parents.size(); }
  [[nodiscard]] Index hanging() const { return size() - core; }
  [[nodiscard]] bool in_core(Index vertex) const { return parents[vertex] < 0; }
  /// The height of the lowest common ancestor of two vertices, 0 unless they are in one tree: a path over the root is
  /// longer than the shortest one by twice this.
  [[nodiscard]] double common_height(Index a, Index b) const {
    if (roots[a] != roots[b]) return 0.0;
    Index depth_a = depth(a), depth_b = depth(b);
    for (; depth_a > depth_b; --depth_a) a = parents[a];
    for (; depth_b > depth_a; --depth_b) b = parents[b];
    for (; a != b; a = parents[a], b = parents[b]) {
    }
    return heights[a];
  }
  /// Edges to its root. Heights do not tell what is above what: a short edge may be lost in rounding.
  [[nodiscard]] Index depth(Index vertex) const {
    Index edges = 0;
    for (; !in_core(vertex); vertex = parents[vertex]) ++edges;
    return edges;
  }
  /// Vertices of the core, ascending.
  [[nodiscard]] std::vector<Index> core_vertices() const;
};

/// The trees of a graph that have at most `largest` vertices each, the root not counted; of a larger tree the parts
/// that have. A vertex of `kept` is in the core, and so is its way there. Lengths of edges are positive.
/// @param kept  the same on every rank @throws Error(resource). Collective. Memory: 16 bytes a vertex once per node,
/// and 16 more on one rank of it meanwhile.
[[nodiscard]] HangingTrees hanging_trees(const Communicator& communicator, const SharedGraph& graph, Index largest,
                                         std::span<const Index> kept = {});

/// The same from parents and heights, as files keep them, once per node. @return empty arrays, and in `refused` why, if
/// these make no trees: the same on every rank. Collective.
[[nodiscard]] HangingTrees trees_of(const Communicator& communicator, NodeArray<std::int32_t> parents,
                                    NodeArray<double> heights, std::string& refused);

/// The graph between the vertices of the core, by their numbers there: path lengths in it are those of the graph.
/// Collective. Memory: that of a graph, once per node.
[[nodiscard]] SharedGraph core_of(const Communicator& communicator, const SharedGraph& graph,
                                  const HangingTrees& trees);

}  // namespace cairn
