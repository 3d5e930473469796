// A contraction hierarchy once per node. Private to this folder.
#pragma once

#include <cstdint>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

namespace cairn {

/// A hierarchy by place, once per node. The upward arcs of place p are starts[p] .. starts[p + 1].
template <class D>
struct SharedHierarchy {
  NodeArray<std::int32_t> vertex_at, place_of, parent, depth, heads;
  NodeArray<Index> starts;
  NodeArray<SweepArc<D>> arcs;
  Index height = 0;  ///< vertices of the longest path to a root
  bool whole = false, integral = false;

  [[nodiscard]] Index size() const { return vertex_at.size(); }
};

}  // namespace cairn
