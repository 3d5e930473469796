// Lengths from one source by a contraction hierarchy. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cairn/similarity/shortest_paths/shared_hierarchy.hpp"

namespace cairn {

/// Lengths from one source to one vertex, or to all, without the lanes of a sweep. Sums and minima are taken in the
/// order of a sweep, so that the lengths are the same bit by bit.
template <class D>
class Descent {
 public:
  Descent(const SharedHierarchy<D>& hierarchy, Index source)
      : hierarchy_(hierarchy),
        start_(hierarchy.place_of[source]),
        up_(static_cast<std::size_t>(hierarchy.height)),
        stack_(static_cast<std::size_t>(hierarchy.height)) {
    std::int32_t slot = hierarchy.depth[start_];
    std::fill_n(up_.begin(), slot, not_reached<D>);
    up_[slot] = 0;
    for (std::int32_t p = start_; p >= 0; p = hierarchy.parent[p], --slot) {
      const D length = up_[slot];
      if (length >= not_reached<D>) continue;
      for (Index a = hierarchy.up.starts[p]; a < hierarchy.up.starts[p + 1]; ++a) {
        const SweepArc<D> arc = hierarchy.up.arcs[a];
        D& head = up_[arc.slot];
        head = std::min(head, static_cast<D>(length + arc.length));
      }
    }
  }

  /// Length to one vertex, or not_reached.
  [[nodiscard]] D to(Index target) {
    const std::int32_t end = hierarchy_.place_of[target];
    chain_.clear();
    for (std::int32_t p = end; p >= 0; p = hierarchy_.parent[p]) chain_.push_back(p);
    std::int32_t common = start_;  // lowest common ancestor: the larger of two places is no ancestor of the other
    for (std::int32_t other = end; common != other;) {
      (common > other ? common : other) = hierarchy_.parent[std::max(common, other)];
    }
    D length = not_reached<D>;
    for (auto p = chain_.rbegin(); p != chain_.rend(); ++p) length = step(*p, *p <= common);
    return length;
  }

  /// Calls take(vertex, length) for all vertices, in preorder. Ancestors of the source start with their upward length.
  template <class Take>
  void to_all(Take take) {
    std::vector<std::int32_t> ancestors;
    for (std::int32_t p = start_; p >= 0; p = hierarchy_.parent[p]) ancestors.push_back(p);
    for (std::int32_t p = 0; p < static_cast<std::int32_t>(hierarchy_.depth.size()); ++p) {
      const bool above = !ancestors.empty() && ancestors.back() == p;
      if (above) ancestors.pop_back();
      take(hierarchy_.vertex_at[p], step(p, above));
    }
  }

 private:
  // Length of `place`, whose ancestors are done. @param above  true for the source and its ancestors
  D step(std::int32_t place, bool above) {
    const auto slot = static_cast<std::size_t>(hierarchy_.depth[place]);
    D length = above ? up_[slot] : not_reached<D>;
    for (Index a = hierarchy_.down.starts[place]; a < hierarchy_.down.starts[place + 1]; ++a) {
      const SweepArc<D> arc = hierarchy_.down.arcs[a];
      length = std::min(length, static_cast<D>(stack_[arc.slot] + arc.length));
    }
    return stack_[slot] = length;
  }

  const SharedHierarchy<D>& hierarchy_;
  std::int32_t start_;
  std::vector<D> up_, stack_;  // upward lengths from the source, and those of the path in hand, by depth
  std::vector<std::int32_t> chain_;
};

}  // namespace cairn
