#include "cairn/data/graph/strong_components.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

constexpr std::int32_t none = -1;
constexpr std::size_t most_sizes = 1000;

// Smallest vertex of the component of each vertex.
void find_smallest(const SharedGraph& graph, std::span<std::int32_t> out) {
  const std::vector<std::int32_t> number =
      strong_components(graph.starts.values(), graph.neighbors.values(), graph.lengths.values());
  std::vector<std::int32_t> smallest(number.size(), none);
  for (std::size_t v = 0; v < number.size(); ++v) {
    std::int32_t& least = smallest[number[v]];
    if (least == none) least = static_cast<std::int32_t>(v);
    out[v] = least;
  }
}

// (smallest vertex, size) of all components, or of the largest.
std::vector<std::pair<Index, Index>> sizes_of(std::span<const std::int32_t> smallest, Index& count) {
  std::vector<Index> all(smallest.size(), 0);
  for (const std::int32_t vertex : smallest) ++all[vertex];
  std::vector<std::pair<Index, Index>> sizes;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (all[v] > 0) sizes.emplace_back(static_cast<Index>(v), all[v]);
  }
  count = std::ssize(sizes);
  if (sizes.size() <= most_sizes) return sizes;
  std::ranges::stable_sort(sizes, [](const auto& a, const auto& b) { return a.second > b.second; });
  sizes.resize(most_sizes);
  std::ranges::sort(sizes);
  return sizes;
}

}  // namespace

std::vector<std::int32_t> strong_components(std::span<const Index> starts, std::span<const std::int32_t> heads,
                                            std::span<const double> lengths) {
  const auto n = static_cast<std::int32_t>(starts.size() - 1);
  std::vector<std::int32_t> component(n, none), order(n, none), low(n, 0), open, path;  // path: the search in hand
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  std::int32_t visited = 0, found = 0;
  for (std::int32_t root = 0; root < n; ++root) {
    if (order[root] != none) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::int32_t v = path.back();
      if (order[v] == none) {
        order[v] = low[v] = visited++;
        open.push_back(v);
      }
      for (Index& a = next[v]; a < starts[v + 1]; ++a) {
        if (!std::isfinite(lengths[a])) continue;
        const std::int32_t w = heads[a];
        if (order[w] == none) {
          path.push_back(w);
          break;  // the arc is looked at again when w is done
        }
        if (component[w] == none) low[v] = std::min(low[v], low[w]);
      }
      if (path.back() != v) continue;
      path.pop_back();
      if (low[v] != order[v]) continue;
      for (std::int32_t w = none; w != v; open.pop_back()) {
        w = open.back();
        component[w] = found;
      }
      ++found;
    }
  }
  return component;
}

Components strong_components(const Communicator& communicator, const Graph& graph) {
  const SharedGraph shared = graph.share(communicator);
  NodeArray<std::int32_t> smallest(communicator, shared.vertices());
  Components components;
  collectively(communicator, [&] {
    if (!smallest.node().is_root()) return;
    find_smallest(shared, smallest.writable());
    if (communicator.is_root()) components.sizes = sizes_of(smallest.values(), components.count);
  });
  smallest.publish();
  const Range own = graph.range();
  components.of_own.assign(smallest.values().begin() + own.begin, smallest.values().begin() + own.end);
  std::vector<Index> flat{components.count};
  for (const auto& [vertex, size] : components.sizes) flat.insert(flat.end(), {vertex, size});
  communicator.broadcast(flat, 0);
  components.count = flat.front();
  components.sizes.clear();
  for (std::size_t k = 1; k < flat.size(); k += 2) components.sizes.emplace_back(flat[k], flat[k + 1]);
  return components;
}

}  // namespace cairn
