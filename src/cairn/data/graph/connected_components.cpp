#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/graph/graph.hpp"

namespace cairn {

namespace {

constexpr std::size_t most_sizes = 1000;
constexpr Index piece_edges = Index{1} << 20;  // edges between ranks that are sent at once

// The smallest vertex known to be connected to v; uses path halving (Tarjan and van Leeuwen 1984).
template <class Parents>
Index find_root(Parents& parent, Index v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

// The smaller root stays: components are identified by their smallest vertex.
template <class Parents>
void unite(Parents& parent, Index u, Index v) {
  const Index a = find_root(parent, u);
  const Index b = find_root(parent, v);
  parent[std::max(a, b)] = std::min(a, b);
}

// Components by the edges between own vertices only; vertices are counted from the first own one.
std::vector<Index> local_roots(const Graph& graph) {
  const Range own = graph.range();
  std::vector<Index> parent(own.size());
  std::iota(parent.begin(), parent.end(), Index{0});
  for (Index v = 0; v < own.size(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    for (Index k = graph.starts()[at]; k < graph.starts()[at + 1]; ++k) {
      const Index u = graph.neighbors()[k] - own.begin;
      if (u >= 0 && u < v) unite(parent, u, v);
    }
  }
  for (Index v = 0; v < own.size(); ++v) parent[v] = find_root(parent, v);
  return parent;
}

// Edges to vertices of higher ranks, between the components known so far, each once.
std::vector<std::pair<Index, Index>> outer_edges(const Graph& graph, const NodeArray<Index>& label) {
  const Range own = graph.range();
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = own.begin; v < own.end; ++v) {
    const auto at = static_cast<std::size_t>(v - own.begin);
    for (Index k = graph.starts()[at]; k < graph.starts()[at + 1]; ++k) {
      const Index u = graph.neighbors()[k];
      if (u >= own.end) edges.emplace_back(label[v], label[u]);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// One rank of each node merges components along the edges of all ranks, which arrive in pieces.
void unite_across_ranks(const Communicator& communicator, const std::vector<std::pair<Index, Index>>& mine,
                        NodeArray<Index>& label) {
  const bool joins = label.node().is_root();
  const std::span<Index> parent = label.writable();
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(mine.size()));
  std::vector<Index> piece;
  for (int r = 0; r < communicator.size(); ++r) {
    const Index count = counts[r];
    for (Index begin = 0; begin < count; begin += piece_edges) {
      const Index size = std::min(piece_edges, count - begin);
      piece.resize(2 * size);
      if (r == communicator.rank()) {
        for (Index k = 0; k < size; ++k) {
          const auto& [u, v] = mine[begin + k];
          piece[2 * k] = u;
          piece[2 * k + 1] = v;
        }
      }
      communicator.broadcast(std::span(piece), r);
      if (!joins) continue;
      for (std::size_t k = 0; k < piece.size(); k += 2) unite(parent, piece[k], piece[k + 1]);
    }
  }
  label.publish();
}

// (component, number of own vertices in it), ascending.
std::vector<std::pair<Index, Index>> count_own(const std::vector<Index>& of_own) {
  std::vector<Index> sorted = of_own;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<Index, Index>> counts;
  for (const Index component : sorted) {
    if (counts.empty() || counts.back().first != component) counts.emplace_back(component, 0);
    ++counts.back().second;
  }
  return counts;
}

// The owners of the smallest vertices add up the sizes.
std::vector<std::pair<Index, Index>> add_up(const Communicator& communicator, const RowPartition& partition,
                                            const std::vector<std::pair<Index, Index>>& counts) {
  std::vector<std::vector<Index>> send(communicator.size());
  for (const auto& [component, count] : counts) {
    auto& part = send[partition.owner(component)];
    part.push_back(component);
    part.push_back(count);
  }
  std::map<Index, Index> sums;
  for (const auto& part : communicator.exchange(send)) {
    for (std::size_t k = 0; k < part.size(); k += 2) sums[part[k]] += part[k + 1];
  }
  return {sums.begin(), sums.end()};
}

// The largest components, by size, then by number.
void keep_largest(std::vector<std::pair<Index, Index>>& sizes) {
  if (sizes.size() <= most_sizes) return;
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  sizes.resize(most_sizes);
}

}  // namespace

Components connected_components(const Communicator& communicator, const Graph& graph) {
  const Range own = graph.range();
  std::vector<Index> roots = collectively(communicator, [&] { return local_roots(graph); });
  for (Index& root : roots) root += own.begin;
  NodeArray<Index> label = replicate_on_nodes(communicator, std::span<const Index>(roots));
  if (communicator.size() > 1) {
    const auto outer = collectively(communicator, [&] { return outer_edges(graph, label); });
    label.node().barrier();  // all ranks have read what is now overwritten
    unite_across_ranks(communicator, outer, label);
  }
  Components components;
  components.of_own = std::move(roots);
  for (Index& component : components.of_own) {
    while (label[component] != component) component = label[component];
  }
  auto sizes = collectively(communicator, [&] { return count_own(components.of_own); });
  sizes = add_up(communicator, graph.partition(), sizes);
  components.count = communicator.sum(static_cast<Index>(sizes.size()));
  keep_largest(sizes);
  std::vector<Index> flat;
  for (const auto& [component, size] : sizes) flat.insert(flat.end(), {component, size});
  flat = communicator.all_gather(flat);
  components.sizes.clear();
  for (std::size_t k = 0; k < flat.size(); k += 2) components.sizes.emplace_back(flat[k], flat[k + 1]);
  keep_largest(components.sizes);
  std::sort(components.sizes.begin(), components.sizes.end());
  return components;
}

}  // namespace cairn
