#include "cairn/data/graph/hanging_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

double length_of(const SharedGraph& graph, Index arc) { return graph.lengths.empty() ? 1.0 : graph.lengths[arc]; }

// Removes leaves until none is left. A vertex is removed if all its neighbors but one have been, and the tree below it,
// including itself, is small enough.
std::vector<std::int32_t> parents_in(const SharedGraph& graph, Index largest, std::span<const Index> kept) {
  const Index n = graph.vertices();
  std::vector<std::int32_t> parents(n, -1), sizes(n, 1), left(n);
  std::vector<bool> stays(n, false);
  for (const Index v : kept) stays[v] = true;
  std::vector<std::int32_t> leaves;
  for (Index v = 0; v < n; ++v) {
    left[v] = static_cast<std::int32_t>(graph.starts[v + 1] - graph.starts[v]);
    if (left[v] == 1) leaves.push_back(static_cast<std::int32_t>(v));
  }
  for (std::size_t next = 0; next < leaves.size(); ++next) {
    const Index v = leaves[next];
    if (left[v] != 1 || stays[v] || sizes[v] > largest) continue;
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      const Index above = graph.neighbors[a];
      if (parents[above] >= 0) continue;  // it is a child of v
      parents[v] = static_cast<std::int32_t>(above);
      sizes[above] += sizes[v];
      if (--left[above] == 1) leaves.push_back(static_cast<std::int32_t>(above));
      break;
    }
  }
  return parents;
}

// The weight of the edge from a pendant vertex to its parent.
double length_to(const SharedGraph& graph, Index v, Index parent) {
  const auto own = graph.neighbors.values().subspan(graph.starts[v], graph.starts[v + 1] - graph.starts[v]);
  const auto found = std::ranges::lower_bound(own, static_cast<std::int32_t>(parent));
  return length_of(graph, graph.starts[v] + (found - own.begin()));
}

// Calls visit(v) for each vertex outside the core, after its parent.
template <class Visit>
void downward(std::span<const std::int32_t> parents, Visit visit) {
  std::vector<bool> visited(parents.size());
  std::vector<std::size_t> way;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    for (std::size_t u = v; parents[u] >= 0 && !visited[u]; u = static_cast<std::size_t>(parents[u])) {
      visited[u] = true;
      way.push_back(u);
    }
    for (; !way.empty(); way.pop_back()) visit(way.back());
  }
}

// Sets the roots as core numbers; -1 for vertices whose parents lead to a cycle. @return number of core vertices
Index find_roots(std::span<const std::int32_t> parents, std::span<std::int32_t> roots) {
  std::int32_t core = 0;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    roots[v] = parents[v] < 0 ? core++ : -1;
  }
  downward(parents, [&](std::size_t v) { roots[v] = roots[parents[v]]; });
  return core;
}

}  // namespace

std::vector<Index> HangingTrees::core_vertices() const {
  std::vector<Index> vertices;
  vertices.reserve(core);
  for (Index v = 0; v < size(); ++v) {
    if (in_core(v)) vertices.push_back(v);
  }
  return vertices;
}

HangingTrees hanging_trees(const Communicator& communicator, const SharedGraph& graph, Index largest,
                           std::span<const Index> kept) {
  const Index n = graph.vertices();
  HangingTrees trees{NodeArray<std::int32_t>(communicator, n), NodeArray<std::int32_t>(communicator, n),
                     NodeArray<double>(communicator, n)};
  const bool writes = trees.parents.node().is_root();
  collectively(communicator, [&] {
    if (!writes) return;
    std::ranges::copy(parents_in(graph, largest, kept), trees.parents.writable().begin());
    trees.core = find_roots(trees.parents.values(), trees.roots.writable());
    const auto parents = trees.parents.values();
    const auto heights = trees.heights.writable();
    std::ranges::fill(heights, 0.0);
    downward(parents, [&](std::size_t v) {
      heights[v] = heights[parents[v]] + length_to(graph, static_cast<Index>(v), parents[v]);
    });
  });
  trees.parents.node().broadcast(std::span(&trees.core, 1), 0);
  trees.parents.publish();
  trees.roots.publish();
  trees.heights.publish();
  return trees;
}

HangingTrees trees_of(const Communicator& communicator, NodeArray<std::int32_t> parents, NodeArray<double> heights,
                      std::string& refused) {
  const Index n = parents.size();
  HangingTrees trees{std::move(parents), NodeArray<std::int32_t>(communicator, n), std::move(heights)};
  refused = collectively(communicator, [&]() -> std::string {
    if (!trees.parents.node().is_root()) return "";
    for (Index v = 0; v < n; ++v) {
      const Index parent = trees.parents[v];
      if (parent >= n) return fmt::format("vertex {} has the parent {}, and there are {} vertices", v, parent, n);
      const double height = trees.heights[v], above = parent < 0 ? 0.0 : trees.heights[parent];
      if (!(parent < 0 ? height == 0.0 : height >= above && std::isfinite(height))) {
        return fmt::format("vertex {} has the height {}, and its parent {}", v, height, above);
      }
    }
    const auto roots = trees.roots.writable();
    trees.core = find_roots(trees.parents.values(), roots);
    const auto circle = std::ranges::find(roots, -1);
    if (circle != roots.end()) return fmt::format("vertex {} is on a cycle of parents", circle - roots.begin());
    return "";
  });
  communicator.broadcast(refused, 0);
  if (!refused.empty()) return {};
  trees.parents.node().broadcast(std::span(&trees.core, 1), 0);
  trees.roots.publish();
  return trees;
}

SharedGraph core_of(const Communicator& communicator, const SharedGraph& graph, const HangingTrees& trees) {
  std::vector<std::int32_t> neighbors;
  std::vector<Index> starts{0};
  std::vector<double> lengths;
  collectively(communicator, [&] {
    if (!graph.starts.node().is_root()) return;
    for (Index v = 0; v < graph.vertices(); ++v) {
      if (!trees.in_core(v)) continue;
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        if (!trees.in_core(graph.neighbors[a])) continue;
        neighbors.push_back(trees.roots[graph.neighbors[a]]);
        if (!graph.lengths.empty()) lengths.push_back(graph.lengths[a]);
      }
      starts.push_back(static_cast<Index>(neighbors.size()));
    }
  });
  auto arcs = static_cast<Index>(neighbors.size());
  graph.starts.node().broadcast(std::span(&arcs, 1), 0);
  SharedGraph core{NodeArray<Index>(communicator, trees.core + 1), NodeArray<std::int32_t>(communicator, arcs),
                   NodeArray<double>(communicator, graph.lengths.empty() ? 0 : arcs), graph.keys};
  if (graph.starts.node().is_root()) {
    std::ranges::copy(starts, core.starts.writable().begin());
    std::ranges::copy(neighbors, core.neighbors.writable().begin());
    std::ranges::copy(lengths, core.lengths.writable().begin());
  }
  core.starts.publish();
  core.neighbors.publish();
  core.lengths.publish();
  return core;
}

}  // namespace cairn
