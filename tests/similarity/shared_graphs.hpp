// Small graphs whole, and their path lengths by a method that shares nothing with the ones under test.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// Edges of an undirected graph and their lengths; of repeated ones the last counts.
using Edges = std::map<std::pair<Index, Index>, double>;

inline void add_edge(Edges& edges, Index u, Index v, double length = 1.0) {
  if (u != v) edges[{std::min(u, v), std::max(u, v)}] = length;
}

/// The graph on the nodes of world(). Collective.
inline SharedGraph share(Index vertices, const Edges& edges, bool weighted = false) {
  std::vector<std::vector<std::pair<Index, double>>> rows(vertices);
  for (const auto& [edge, length] : edges) {
    rows[edge.first].emplace_back(edge.second, length);
    rows[edge.second].emplace_back(edge.first, length);
  }
  std::vector<Index> starts{0};
  std::vector<std::int32_t> neighbors;
  std::vector<double> lengths;
  for (auto& row : rows) {
    std::ranges::sort(row);
    for (const auto& [neighbor, length] : row) {
      neighbors.push_back(static_cast<std::int32_t>(neighbor));
      if (weighted) lengths.push_back(length);
    }
    starts.push_back(static_cast<Index>(neighbors.size()));
  }
  if (!world().is_root()) starts.clear(), neighbors.clear(), lengths.clear();
  return {replicate_on_nodes<Index>(world(), starts), replicate_on_nodes<std::int32_t>(world(), neighbors),
          weighted ? replicate_on_nodes<double>(world(), lengths) : NodeArray<double>()};
}

/// All path lengths by Floyd and Warshall, row-major; infinite if there is no path.
inline std::vector<double> all_path_lengths(Index vertices, const Edges& edges) {
  const auto n = static_cast<std::size_t>(vertices);
  std::vector<double> d(n * n, std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < n; ++v) d[v * n + v] = 0.0;
  for (const auto& [edge, length] : edges) {
    const auto u = static_cast<std::size_t>(edge.first), v = static_cast<std::size_t>(edge.second);
    d[u * n + v] = d[v * n + u] = length;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
  }
  return d;
}

/// Arcs of a directed graph and their lengths.
using OneWayArcs = std::map<std::pair<Index, Index>, double>;

/// The directed graph on the nodes of world(): arcs that it lacks in one direction are infinite. Collective.
inline SharedGraph share_directed(Index vertices, const OneWayArcs& arcs) {
  Edges edges;
  for (const auto& [arc, length] : arcs) add_edge(edges, arc.first, arc.second, length);
  SharedGraph graph = share(vertices, edges, true);
  if (graph.lengths.node().is_root()) {
    for (Index v = 0; v < vertices; ++v) {
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        const auto arc = arcs.find({v, graph.neighbors[a]});
        graph.lengths.writable()[a] = arc == arcs.end() ? std::numeric_limits<double>::infinity() : arc->second;
      }
    }
  }
  graph.lengths.publish();
  graph.directed = true;
  return graph;
}

/// The same as all_path_lengths, from the row to the column.
inline std::vector<double> all_directed_lengths(Index vertices, const OneWayArcs& arcs) {
  const auto n = static_cast<std::size_t>(vertices);
  std::vector<double> d(n * n, std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < n; ++v) d[v * n + v] = 0.0;
  for (const auto& [arc, length] : arcs) {
    d[static_cast<std::size_t>(arc.first) * n + static_cast<std::size_t>(arc.second)] = length;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
  }
  return d;
}

/// Arcs of the edges: a share `one_way` of these has one, in either direction; the others have two, each of its own
/// length, the edge's plus 0 to `more`.
inline OneWayArcs directed_arcs(const Edges& edges, double one_way, int more, unsigned seed) {
  std::mt19937 random(seed);
  OneWayArcs arcs;
  for (const auto& [edge, length] : edges) {
    const auto kind = static_cast<double>(random()) / 0x1p32;
    const auto own = [&] { return length + static_cast<double>(static_cast<Index>(random()) % (more + 1)); };
    if (kind >= 0.5 * one_way) arcs[edge] = own();
    if (kind < 0.5 * one_way || kind >= one_way) arcs[{edge.second, edge.first}] = own();
  }
  return arcs;
}

/// A path through all vertices, so that it is connected, and `more` edges between random ones; lengths in 1 .. longest.
inline Edges random_graph(Index vertices, Index more, int longest, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](Index bound) { return static_cast<Index>(random()) % bound; };
  const auto length = [&] { return 1.0 + static_cast<double>(below(longest)); };
  std::vector<Index> order(vertices);
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<Index>(v);
  std::ranges::shuffle(order, random);
  Edges edges;
  for (std::size_t v = 1; v < order.size(); ++v) add_edge(edges, order[v - 1], order[v], length());
  for (Index e = 0; e < more; ++e) add_edge(edges, below(vertices), below(vertices), length());
  return edges;
}

/// side x side vertices, edges between neighbors; a share of them removed in a way that keeps it connected.
inline Edges grid_graph(Index side, double removed, int longest, unsigned seed) {
  std::mt19937 random(seed);
  const auto chance = [&] { return static_cast<double>(random()) / 0x1p32; };
  const auto length = [&] { return 1.0 + static_cast<double>(static_cast<Index>(random()) % longest); };
  Edges edges;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      if (i + 1 < side && (j == 0 || chance() >= removed)) add_edge(edges, i * side + j, (i + 1) * side + j, length());
      if (j + 1 < side) add_edge(edges, i * side + j, i * side + j + 1, length());
    }
  }
  return edges;
}

}  // namespace cairn::test
