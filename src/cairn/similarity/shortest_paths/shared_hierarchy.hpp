// A contraction hierarchy once per node. Private to this folder.
#pragma once

#include <cstdint>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"
#include "cairn/similarity/shortest_paths/customization.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

namespace cairn {

/// Arcs between vertices and their ancestors, in one direction; those of place p are starts[p] .. starts[p + 1].
template <class D>
struct SharedArcs {
  NodeArray<Index> starts;
  NodeArray<std::int32_t> heads;
  NodeArray<SweepArc<D>> arcs;

  /// New handles to the same arrays.
  [[nodiscard]] SharedArcs share() const { return {starts.share(), heads.share(), arcs.share()}; }
};

/// A hierarchy by place, once per node.
template <class D>
struct SharedHierarchy {
  NodeArray<std::int32_t> vertex_at, place_of, parent, depth;
  SharedArcs<D> up;    ///< from vertices to their ancestors
  SharedArcs<D> down;  ///< from the ancestors to the vertices; the same arrays unless directed
  Index height = 0;    ///< vertices of the longest path to a root
  bool directed = false, whole = false, integral = false;

  [[nodiscard]] Index size() const { return vertex_at.size(); }
  /// The hierarchy of the graph with all arcs turned around, in the same arrays.
  [[nodiscard]] SharedHierarchy reversed() const {
    return {vertex_at.share(), place_of.share(), parent.share(), depth.share(), down.share(),
            up.share(),        height,           directed,       whole,         integral};
  }
};

/// Properties that all ranks need before they get the arrays.
struct HierarchyFacts {
  double longest = 0.0;
  Index height = 0;
  bool whole = false, directed = false;
};

/// Shares the hierarchy of rank 0, whose lists are released. Collective.
template <class D>
[[nodiscard]] SharedHierarchy<D> share_hierarchy(const Communicator& communicator, ContractionHierarchy& hierarchy,
                                                 const HierarchyFacts& facts);
/// The arcs of a completion that are needed. Collective.
template <class D>
[[nodiscard]] SharedHierarchy<D> share_hierarchy(const Communicator& communicator, CustomizedArcs& arcs,
                                                 const HierarchyFacts& facts);

}  // namespace cairn
