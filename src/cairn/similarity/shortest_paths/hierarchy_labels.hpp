// Labels: lengths from every vertex to its ancestors in the elimination tree, once per node. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/similarity/shortest_paths/shared_hierarchy.hpp"

namespace cairn {

/// A shortest path between two vertices passes over a common ancestor, so that its length is the least sum of two
/// labels [Ouyang, Qin, Chang, Lin, Zhang and Zhu 2018, "When hierarchy meets 2-hop-labeling"]. The number of common
/// ancestors comes from the tree in constant time [Schieber and Vishkin 1988].
///
/// The label of a vertex with d ancestors has d + 1 lengths, from the root down. With arcs (h, w) of v upward it is the
/// minimum over these arcs of w plus the length between h and each ancestor; all of these lengths are labels of
/// ancestors. A vertex with one arc, to its parent, borrows the label of its parent: all lengths to ancestors above are
/// w more (a quarter of the vertices of a road network). In a directed hierarchy a vertex has two labels, to and from
/// its ancestors, and borrows both or none. Memory: bytes(), once per node, and while it is made stack_bytes() on each
/// rank.
template <class D>
class HierarchyLabels {
 public:
  /// Ranks of a node share the work. @param hierarchy  must outlive this. Collective.
  HierarchyLabels(const Communicator& communicator, const SharedHierarchy<D>& hierarchy);

  /// Bytes of the labels of a hierarchy on a node. Local.
  [[nodiscard]] static Index bytes(const SharedHierarchy<D>& hierarchy);

  /// Bytes of a rank for the lengths between the vertices of one path from a root. Local.
  [[nodiscard]] static Index stack_bytes(const SharedHierarchy<D>& hierarchy);

  /// out[k] = length from the vertex first[k] to second[k]; not_reached<D> or more: there is no path. Local.
  void lengths(std::span<const Index> first, std::span<const Index> second, std::span<D> out) const;

 private:
  using Depth = std::conditional_t<sizeof(D) == 2, std::uint16_t, std::uint32_t>;
  // What a query needs of a vertex: its two numbers of Schieber and Vishkin, its depth, where its label or the one that
  // it borrows begins, the depth of the vertex that this belongs to, and the lengths to that vertex and from it.
  struct Head {
    std::uint32_t inlabel = 0, ascendants = 0;
    Depth depth = 0, owner = 0;
    D beyond = 0, back = 0;
    Index label = 0;
  };
  static_assert(sizeof(Head) == (sizeof(D) == 2 ? 24 : sizeof(D) == 4 ? 32 : 40));

  void make_heads();
  void make_labels(const Communicator& communicator);
  // Labels of the places `range`. @param stack  lengths between the ancestors of its first place, by their depths
  class Stack;
  void fill(Range range, Stack& stack, const std::vector<Range>& without);
  [[nodiscard]] Index common_ancestors(const Head& a, const Head& b) const;
  // Length from a vertex to its ancestor at a depth, and from that ancestor.
  [[nodiscard]] D upward(Index vertex, Index depth) const;
  [[nodiscard]] D downward(Index vertex, Index depth) const;
  [[nodiscard]] D along(const SharedArcs<D>& arcs, Index vertex, Index depth) const;
  [[nodiscard]] const NodeArray<D>& back() const { return hierarchy_.directed ? back_ : labels_; }

  const SharedHierarchy<D>& hierarchy_;
  NodeArray<Head> heads_;         // by vertex
  NodeArray<std::int32_t> tops_;  // by inlabel: depth of the topmost vertex that has it
  NodeArray<D> labels_;           // lengths to the ancestors
  NodeArray<D> back_;             // from the ancestors, in the same places; none unless directed
};

}  // namespace cairn
