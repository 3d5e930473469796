// Pendant trees of a graph. The rest is its core: the 2-core, and trees or parts of trees that stay attached to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Pendant trees of a limited size: vertices of degree 1, and then those that get degree 1 when these are removed. The
/// root of a tree is the core vertex to which it is attached. A path from a vertex of a tree to another vertex passes
/// through the root, unless both are in the same tree: then through their lowest common ancestor. Stored once per node.
struct HangingTrees {
  NodeArray<std::int32_t> parents;  ///< next vertex on the way to the core; -1: the vertex is in the core
  NodeArray<std::int32_t> roots;    ///< core number of the root of its tree; for a core vertex its own
  NodeArray<double> heights;        ///< path length to the root; 0 in the core
  Index core = 0;                   ///< number of vertices in the core, numbered there in the order of the graph

  [[nodiscard]] Index size() const { return parents.size(); }
  [[nodiscard]] Index hanging() const { return size() - core; }
  [[nodiscard]] bool in_core(Index vertex) const { return parents[vertex] < 0; }
  /// Height of the lowest common ancestor of two vertices, 0 unless they are in one tree: a path through the root is
  /// longer than the shortest one by twice this height.
  [[nodiscard]] double common_height(Index a, Index b) const {
    if (roots[a] != roots[b]) return 0.0;
    Index depth_a = depth(a), depth_b = depth(b);
    for (; depth_a > depth_b; --depth_a) a = parents[a];
    for (; depth_b > depth_a; --depth_b) b = parents[b];
    for (; a != b; a = parents[a], b = parents[b]) {
    }
    return heights[a];
  }
  /// Number of edges to the root. Heights do not show which vertex is above: a short edge may be lost in rounding.
  [[nodiscard]] Index depth(Index vertex) const {
    Index edges = 0;
    for (; !in_core(vertex); vertex = parents[vertex]) ++edges;
    return edges;
  }
  /// Vertices of the core, ascending.
  [[nodiscard]] std::vector<Index> core_vertices() const;
};

/// The pendant trees of a graph with at most `largest` vertices each, without the root; of a larger tree, its parts
/// with at most that many. A vertex of `kept`, and its path to the core, are in the core. Edge weights are positive.
/// @param kept  the same on every rank @throws Error(resource). Collective. Memory: 16 bytes per vertex once per node,
/// and meanwhile 16 more on one of its ranks.
[[nodiscard]] HangingTrees hanging_trees(const Communicator& communicator, const SharedGraph& graph, Index largest,
                                         std::span<const Index> kept = {});

/// The same from parents and heights, as stored in files, once per node. @return empty arrays, with the reason in
/// `refused`, if these are not trees: the same on every rank. Collective.
[[nodiscard]] HangingTrees trees_of(const Communicator& communicator, NodeArray<std::int32_t> parents,
                                    NodeArray<double> heights, std::string& refused);

/// The graph on the core vertices, by their core numbers: path lengths in it are those of the graph. Collective.
/// Memory: that of a graph, once per node.
[[nodiscard]] SharedGraph core_of(const Communicator& communicator, const SharedGraph& graph,
                                  const HangingTrees& trees);

}  // namespace cairn
