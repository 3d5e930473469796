#include "cairn/similarity/shortest_paths/chordal_completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

// The heads of all places, from the last place to the first, so that a place comes after its children.
struct Elimination {
  std::vector<std::int32_t> heads;
  std::vector<Index> ends;  // by place: end of its heads
  std::vector<Index> begins;
};

// Symbolic elimination: the heads of a vertex are its higher neighbors and the heads of its children. Stops at more
// than `most` arcs.
bool eliminate(const SharedGraph& graph, const EliminationTree& tree, Index most, Elimination& out) {
  const auto n = static_cast<std::size_t>(tree.size());
  std::vector<std::int32_t> seen(n, -1), first_child(n, -1), sibling(n, -1);
  out.begins.resize(n);
  out.ends.resize(n);
  for (Index p = tree.size() - 1; p >= 0; --p) {
    if (p % 256 == 0) Watchdog::beat();  // places near the root take longest, at worst some seconds per thousand
    const auto place = static_cast<std::int32_t>(p);
    const auto first = static_cast<std::ptrdiff_t>(out.heads.size());
    const auto add = [&](std::int32_t head) {
      if (head >= place || seen[head] == place) return;
      seen[head] = place;
      out.heads.push_back(head);
    };
    const std::int32_t v = tree.vertex_at[p];
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) add(tree.place_of[graph.neighbors[a]]);
    for (std::int32_t c = first_child[p]; c >= 0; c = sibling[c]) {
      for (Index a = out.begins[c]; a < out.ends[c]; ++a) add(out.heads[a]);
    }
    std::sort(out.heads.begin() + first, out.heads.end(), std::greater<>());
    out.begins[p] = first;
    out.ends[p] = static_cast<Index>(out.heads.size());
    if (out.ends[p] > most) return false;
    const std::int32_t parent = tree.parent[p];
    if (parent >= 0) sibling[p] = std::exchange(first_child[parent], place);
  }
  return true;
}

}  // namespace

ChordalCompletion complete(const SharedGraph& graph, const HierarchyLimits& limits, std::string& refused) {
  ChordalCompletion result;
  const EliminationOrder order = elimination_order(graph, limits.core_degree);
  result.core = order.core;
  if (order.core_degree > limits.core_degree) {
    refused = fmt::format("{} vertices have a mean degree of {:.1f} when those of degree 1 and 2 are eliminated",
                          order.core, order.core_degree);
    return result;
  }
  result.tree = elimination_tree(graph, order.vertices);
  Elimination found;
  if (!eliminate(graph, result.tree, limits.completion_arcs, found)) {
    refused = fmt::format("a hierarchy needs more than {} arcs, the graph has {} edges", limits.completion_arcs,
                          graph.arcs() / 2);
    return result;
  }
  Index triangles = 0;
  for (Index p = 0; p < result.tree.size(); ++p) {
    const Index above = found.ends[p] - found.begins[p];
    triangles += above * (above - 1) / 2;
  }
  if (triangles > limits.triangles) {
    refused = fmt::format("its lengths take {} triangles, {} a vertex", triangles, triangles / result.tree.size());
    return result;
  }
  result.starts.push_back(0);
  result.heads.reserve(found.heads.size());
  for (Index p = 0; p < result.tree.size(); ++p) {
    result.heads.insert(result.heads.end(), found.heads.begin() + found.begins[p], found.heads.begin() + found.ends[p]);
    result.starts.push_back(result.arcs());
  }
  return result;
}

Index arc_between(std::span<const Index> starts, std::span<const std::int32_t> heads, Index place, std::int32_t head) {
  const auto own = heads.subspan(starts[place], starts[place + 1] - starts[place]);
  const auto found = std::ranges::lower_bound(own, head, std::greater<>());
  return found != own.end() && *found == head ? starts[place] + (found - own.begin()) : -1;
}

}  // namespace cairn
