#include "cairn/data/graph/level_separator.hpp"

#include <algorithm>
#include <vector>

namespace cairn {

namespace {

// The vertices in the order of a search from `source`, and the boundaries of its levels.
struct Levels {
  std::vector<std::int32_t> order;
  std::vector<Index> starts;  // levels + 1
};

Levels levels_from(const SharedGraph& graph, Index source) {
  std::vector<bool> found(graph.vertices(), false);
  Levels levels{{static_cast<std::int32_t>(source)}, {0}};
  found[source] = true;
  while (levels.starts.back() < static_cast<Index>(levels.order.size())) {
    const Index begin = levels.starts.back(), end = static_cast<Index>(levels.order.size());
    levels.starts.push_back(end);
    for (Index k = begin; k < end; ++k) {
      const Index vertex = levels.order[k];
      for (Index arc = graph.starts[vertex]; arc < graph.starts[vertex + 1]; ++arc) {
        const std::int32_t next = graph.neighbors[arc];
        if (found[next]) continue;
        found[next] = true;
        levels.order.push_back(next);
      }
    }
  }
  return levels;
}

}  // namespace

Index level_separator(const SharedGraph& graph) {
  const Index n = graph.vertices();
  const Levels levels = levels_from(graph, levels_from(graph, 0).order.back());
  Index smallest = n;
  for (std::size_t level = 0; level + 1 < levels.starts.size(); ++level) {
    const Index before = levels.starts[level], after = n - levels.starts[level + 1];
    if (3 * std::max(before, after) <= 2 * n) smallest = std::min(smallest, n - before - after);
  }
  return smallest;
}

}  // namespace cairn
