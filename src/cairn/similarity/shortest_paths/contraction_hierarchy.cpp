#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"

namespace cairn {

namespace {

// Upward arcs of the chordal completion, with heads descending from the nearest ancestor (the largest place) to the
// root's place. The heads of a vertex are ancestors of each other; all but the nearest are also heads of the nearest.
struct Completion {
  std::vector<Index> starts;  // by place, in reverse: the last place has the first arcs
  std::vector<std::int32_t> heads;
  std::vector<double> lengths;
  Index places = 0;

  [[nodiscard]] Index begin(Index place) const { return starts[places - 1 - place]; }
  [[nodiscard]] Index end(Index place) const { return starts[places - place]; }
  [[nodiscard]] std::int32_t head(Index arc) const { return heads[arc]; }
  [[nodiscard]] double& length(Index arc) { return lengths[arc]; }
};

// Places near the root take longest, at worst some seconds per thousand.
void beat_at(Index place) {
  if (place % 256 == 0) Watchdog::beat();
}

// Symbolic elimination: the heads of a vertex are its higher neighbors and the heads of its children. Stops at more
// than `most` arcs.
bool complete(const SharedGraph& graph, const EliminationTree& tree, Index most, Completion& out) {
  const Index n = tree.size();
  std::vector<std::int32_t> seen(n, -1), first_child(static_cast<std::size_t>(n), -1),
      sibling(static_cast<std::size_t>(n), -1);
  out.places = n;
  out.starts = {0};
  for (Index p = n - 1; p >= 0; --p) {
    beat_at(p);
    const auto place = static_cast<std::int32_t>(p);
    const auto first = static_cast<std::ptrdiff_t>(out.heads.size());
    const auto add = [&](std::int32_t head) {
      if (head >= place || seen[head] == place) return;
      seen[head] = place;
      out.heads.push_back(head);
    };
    const std::int32_t v = tree.vertex_at[p];
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      add(tree.place_of[graph.neighbors[a]]);
    }
    for (std::int32_t c = first_child[p]; c >= 0; c = sibling[c]) {
      const Index end = out.end(c);
      for (Index a = out.begin(c); a < end; ++a) add(out.head(a));
    }
    std::sort(out.heads.begin() + first, out.heads.end(), std::greater<>());
    out.starts.push_back(static_cast<Index>(out.heads.size()));
    if (out.starts.back() > most) return false;
    const std::int32_t parent = tree.parent[p];
    if (parent >= 0) sibling[p] = std::exchange(first_child[parent], place);
  }
  return true;
}

void set_lengths_of_edges(const SharedGraph& graph, const EliminationTree& tree, Completion& arcs) {
  arcs.lengths.assign(arcs.heads.size(), std::numeric_limits<double>::infinity());
  std::vector<double> length_to(tree.size());
  for (Index p = 0; p < tree.size(); ++p) {
    beat_at(p);
    const std::int32_t v = tree.vertex_at[p];
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      const auto head = static_cast<std::size_t>(tree.place_of[graph.neighbors[a]]);
      if (static_cast<Index>(head) > p) continue;
      const auto heads = std::span(arcs.heads).subspan(arcs.begin(p), arcs.end(p) - arcs.begin(p));
      const auto found = std::ranges::lower_bound(heads, static_cast<std::int32_t>(head), std::greater<>());
      arcs.length(arcs.begin(p) + (found - heads.begin())) = graph.lengths.empty() ? 1.0 : graph.lengths[a];
    }
  }
}

// Calls visit(i, j, k) for the triangles of arcs below `place`: i and j lead from it to u and y, u below y; k leads
// from u to y.
template <class Visit>
void for_triangles(const Completion& arcs, Index place, Visit visit) {
  const Index end = arcs.end(place);
  for (Index i = arcs.begin(place); i + 1 < end; ++i) {
    Index k = arcs.begin(arcs.head(i));
    for (Index j = i + 1; j < end; ++j, ++k) {
      while (arcs.head(k) != arcs.head(j)) ++k;
      visit(i, j, k);
    }
  }
}

// From the bottom: an arc gets the length of the shortest path over vertices below both its ends.
void relax_upward(Completion& arcs) {
  for (Index p = arcs.places - 1; p >= 0; --p) {
    beat_at(p);
    for_triangles(arcs, p, [&](Index i, Index j, Index k) {
      arcs.length(k) = std::min(arcs.length(k), arcs.length(i) + arcs.length(j));
    });
  }
}

// From the top: an arc gets the length of the shortest path of all. Returns which arcs are needed. Two arcs could
// exclude each other if an arc has length 0, or if sums of non-integer lengths differ by rounding: ties are then kept.
std::vector<bool> relax_downward(Completion& arcs, bool drop_ties) {
  std::vector<bool> needed(arcs.heads.size());
  std::vector<double> over;  // shortest path over a third vertex above
  for (Index p = 0; p < arcs.places; ++p) {
    beat_at(p);
    const Index first = arcs.begin(p), last = arcs.end(p);
    over.assign(last - first, std::numeric_limits<double>::infinity());
    for_triangles(arcs, p, [&](Index i, Index j, Index k) {
      double& to_j = over[j - first];
      double& to_i = over[i - first];
      to_j = std::min(to_j, arcs.length(i) + arcs.length(k));
      to_i = std::min(to_i, arcs.length(j) + arcs.length(k));
    });
    for (Index a = first; a < last; ++a) {
      const double other = over[a - first];
      needed[a] = drop_ties ? arcs.length(a) < other : arcs.length(a) <= other;
      arcs.length(a) = std::min(arcs.length(a), other);
    }
  }
  return needed;
}

void keep_needed(Completion& arcs, const std::vector<bool>& needed, ContractionHierarchy& out) {
  out.completion_arcs = static_cast<Index>(arcs.heads.size());
  out.starts.push_back(0);
  for (Index p = 0; p < arcs.places; ++p) {
    for (Index a = arcs.begin(p); a < arcs.end(p); ++a) {
      if (!needed[a]) continue;
      out.heads.push_back(arcs.head(a));
      out.lengths.push_back(arcs.length(a));
    }
    out.starts.push_back(static_cast<Index>(out.heads.size()));
  }
}

}  // namespace

Index ContractionHierarchy::height() const {
  const auto& depth = tree.depth;
  return depth.empty() ? 0 : *std::ranges::max_element(depth) + 1;
}

ContractionHierarchy contract(const SharedGraph& graph, const HierarchyLimits& limits, std::string& refused) {
  ContractionHierarchy result;
  const EliminationOrder order = elimination_order(graph, limits.core_degree);
  result.core = order.core;
  if (order.core_degree > limits.core_degree) {
    refused = fmt::format("{} vertices have a mean degree of {:.1f} when those of degree 1 and 2 are eliminated",
                          order.core, order.core_degree);
    return result;
  }
  result.tree = elimination_tree(graph, order.vertices);
  Completion arcs;
  if (!complete(graph, result.tree, limits.completion_arcs, arcs)) {
    refused = fmt::format("a hierarchy needs more than {} arcs, the graph has {} edges", limits.completion_arcs,
                          graph.arcs() / 2);
    return result;
  }
  result.whole =
      std::ranges::all_of(graph.lengths.values(), [](double length) { return length == std::floor(length); });
  set_lengths_of_edges(graph, result.tree, arcs);
  relax_upward(arcs);
  const bool zeros = std::ranges::any_of(graph.lengths.values(), [](double length) { return length == 0.0; });
  keep_needed(arcs, relax_downward(arcs, result.whole && !zeros), result);
  result.longest = longest_path_bound(result);
  return result;
}

}  // namespace cairn
