#include "cairn/similarity/shortest_paths/elimination_order.hpp"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

constexpr std::int32_t none = -1;

// A graph from which vertices of degree 2 or less are eliminated. Their neighbors never gain a neighbor, so that the
// lists stay in place.
class ShrinkingGraph {
 public:
  explicit ShrinkingGraph(const SharedGraph& graph)
      : graph_(graph),
        neighbors_(graph.neighbors.values().begin(), graph.neighbors.values().end()),
        degrees_(static_cast<std::size_t>(graph.vertices())) {
    for (Index v = 0; v < graph.vertices(); ++v)
      degree(v) = static_cast<std::int32_t>(graph.starts[v + 1] - graph.starts[v]);
  }

  [[nodiscard]] std::int32_t& degree(Index v) { return degrees_[v]; }
  [[nodiscard]] std::span<std::int32_t> neighbors(Index v) {
    return std::span(neighbors_).subspan(graph_.starts[v], degree(v));
  }

  // Removes v, of degree 0 to 2, from its neighbors' lists and joins the neighbors.
  void eliminate(std::int32_t v) {
    const auto ends = neighbors(v);
    if (ends.size() == 1) {
      drop(ends[0], v);
    } else if (ends.size() == 2) {
      const auto known = neighbors(ends[0]);
      if (std::ranges::find(known, ends[1]) != known.end()) {
        drop(ends[0], v);
        drop(ends[1], v);
      } else {
        *std::ranges::find(known, v) = ends[1];
        *std::ranges::find(neighbors(ends[1]), v) = ends[0];
      }
    }
  }

 private:
  void drop(std::int32_t from, std::int32_t v) {
    const auto list = neighbors(from);
    *std::ranges::find(list, v) = list.back();
    --degree(from);
  }

  const SharedGraph& graph_;
  std::vector<std::int32_t> neighbors_;
  std::vector<std::int32_t> degrees_;
};

// Appends vertices of degree 2 or less to `order`, as long as there are any. Returns which are eliminated.
std::vector<bool> eliminate_low_degrees(ShrinkingGraph& graph, Index vertices, std::vector<std::int32_t>& order) {
  std::vector<bool> gone(vertices);
  std::vector<std::int32_t> touched(vertices, none);  // round in which a neighbor was eliminated
  std::vector<std::int32_t> candidates, next;
  for (Index v = 0; v < vertices; ++v) {
    if (graph.degree(v) <= 2) candidates.push_back(static_cast<std::int32_t>(v));
  }
  for (std::int32_t round = 0; !candidates.empty(); ++round, candidates.swap(next), next.clear()) {
    for (const std::int32_t v : candidates) {
      if (gone[v]) continue;
      if (touched[v] == round) {
        next.push_back(v);
        continue;
      }
      graph.eliminate(v);
      for (const std::int32_t w : graph.neighbors(v)) {
        if (graph.degree(w) <= 2) next.push_back(w);
        touched[w] = round;
      }
      gone[v] = true;
      order.push_back(v);
    }
  }
  return gone;
}

void append_nested_dissection(ShrinkingGraph& graph, const std::vector<std::int32_t>& core, Index arcs, Index vertices,
                              std::vector<std::int32_t>& order) {
  if (arcs > std::numeric_limits<idx_t>::max()) {
    throw Error(ErrorKind::resource,
                "METIS counts to 2^31 - 1 here, and the graph has " + std::to_string(arcs) + " arcs");
  }
  std::vector<std::int32_t> number(vertices, none);
  for (std::size_t c = 0; c < core.size(); ++c) number[core[c]] = static_cast<std::int32_t>(c);
  std::vector<idx_t> starts{0}, heads;
  heads.reserve(arcs);
  for (const std::int32_t v : core) {
    for (const std::int32_t w : graph.neighbors(v)) heads.push_back(number[w]);
    starts.push_back(static_cast<idx_t>(heads.size()));
  }
  auto size = static_cast<idx_t>(core.size());
  std::vector<idx_t> permutation(core.size()), inverse(core.size());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_COMPRESS] = 0;  // vertices with the same neighbors are rare on roads
  if (METIS_NodeND(&size, starts.data(), heads.data(), nullptr, options, permutation.data(), inverse.data()) !=
      METIS_OK) {
    throw Error(ErrorKind::resource, "METIS could not order the graph");
  }
  for (const idx_t c : permutation) order.push_back(core[c]);
}

// Places in preorder from the roots.
std::vector<std::int32_t> preorder(const std::vector<std::int32_t>& parent) {
  const auto n = static_cast<std::int32_t>(parent.size());
  std::vector<std::int32_t> first_child(parent.size(), none), sibling(parent.size(), none), stack, sequence;
  for (std::int32_t v = 0; v < n; ++v) {
    const std::int32_t p = parent[v];
    if (p == none) {
      stack.push_back(v);
    } else {
      sibling[v] = std::exchange(first_child[p], v);
    }
  }
  while (!stack.empty()) {
    const std::int32_t v = stack.back();
    stack.pop_back();
    sequence.push_back(v);
    for (std::int32_t c = first_child[v]; c != none; c = sibling[c]) stack.push_back(c);
  }
  return sequence;
}

}  // namespace

EliminationOrder elimination_order(const SharedGraph& graph, double most_core_degree) {
  const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(graph.arcs())));
  EliminationOrder result;
  ShrinkingGraph shrinking(graph);
  const std::vector<bool> gone = eliminate_low_degrees(shrinking, graph.vertices(), result.vertices);
  std::vector<std::int32_t> core;
  Index arcs = 0;
  for (Index v = 0; v < graph.vertices(); ++v) {
    if (gone[v]) continue;
    core.push_back(static_cast<std::int32_t>(v));
    arcs += shrinking.degree(v);
  }
  result.core = static_cast<Index>(core.size());
  if (core.empty()) return result;
  result.core_degree = static_cast<double>(arcs) / static_cast<double>(core.size());
  if (result.core_degree <= most_core_degree)
    append_nested_dissection(shrinking, core, arcs, graph.vertices(), result.vertices);
  return result;
}

EliminationTree elimination_tree(const SharedGraph& graph, const std::vector<std::int32_t>& order) {
  const std::size_t n = order.size();
  std::vector<std::int32_t> rank(n), parent(n, none), shortcut(n, none);
  for (std::size_t r = 0; r < n; ++r) rank[order[r]] = static_cast<std::int32_t>(r);
  for (std::size_t r = 0; r < n; ++r) {
    const std::int32_t v = order[r], top = static_cast<std::int32_t>(r);
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      std::int32_t u = rank[graph.neighbors[a]];
      while (u < top) {  // up to the root of u's tree so far; shortcuts on the way now lead to `top`
        const std::int32_t up = std::exchange(shortcut[u], top);
        if (up == none) parent[u] = top;
        if (up == none || up == top) break;
        u = up;
      }
    }
  }
  EliminationTree tree;
  const std::vector<std::int32_t> sequence = preorder(parent);
  std::vector<std::int32_t> place(n);  // by rank
  tree.vertex_at.resize(n), tree.place_of.resize(n), tree.parent.resize(n), tree.depth.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    const auto r = static_cast<std::size_t>(sequence[p]);
    place[r] = static_cast<std::int32_t>(p);
    tree.vertex_at[p] = order[r];
    tree.place_of[order[r]] = static_cast<std::int32_t>(p);
    const bool root = parent[r] == none;
    tree.parent[p] = root ? none : place[parent[r]];
    tree.depth[p] = root ? 0 : tree.depth[tree.parent[p]] + 1;
  }
  return tree;
}

}  // namespace cairn
