// Connected components, the largest of them kept, and generated graphs: against a sequential search.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <random>

#include "whole_graph.hpp"

namespace cairn::test::graph_components_test {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;
using Numbers = std::vector<Index>;

// The smallest vertex of each vertex's component, by breadth-first search.
Numbers searched_components(Index vertices, const Edges& edges) {
  std::vector<Numbers> neighbors(vertices);
  for (const auto& [u, v] : edges) {
    neighbors[u].push_back(v);
    neighbors[v].push_back(u);
  }
  Numbers component(static_cast<std::size_t>(vertices), -1);
  for (Index root = 0; root < vertices; ++root) {
    if (component[root] >= 0) continue;
    std::queue<Index> next({root});
    component[root] = root;
    for (; !next.empty(); next.pop()) {
      for (const Index v : neighbors[next.front()]) {
        if (component[v] >= 0) continue;
        component[v] = root;
        next.push(v);
      }
    }
  }
  return component;
}

std::map<Index, Index> sizes_of(const Numbers& component) {
  std::map<Index, Index> sizes;
  for (const Index c : component) ++sizes[c];
  return sizes;
}

std::string as_text(Index vertices, const Edges& edges) {
  std::string text = fmt::format("p tw {} {}\n", vertices, edges.size());
  for (const auto& [u, v] : edges) text += fmt::format("{} {}\n", u + 1, v + 1);
  return text;
}

Edges random_edges(Index vertices, Index count, unsigned seed) {
  std::mt19937_64 engine(seed);
  Edges edges;
  while (static_cast<Index>(edges.size()) < count) {
    const auto u = static_cast<Index>(engine() % static_cast<std::uint64_t>(vertices));
    const auto v = static_cast<Index>(engine() % static_cast<std::uint64_t>(vertices));
    if (u != v) edges.emplace_back(u, v);
  }
  return edges;
}

TEST(Components, AreThoseOfASearch) {
  const WrittenFiles files;
  constexpr Index vertices = 2000;
  for (const auto& [count, seed] : {std::pair{0, 1U}, {700, 2U}, {1000, 3U}, {1500, 4U}, {4000, 5U}}) {
    SCOPED_TRACE(fmt::format("{} edges, seed {}", count, seed));
    const Edges edges = random_edges(vertices, count, seed);
    const Numbers expected = searched_components(vertices, edges);
    const auto sizes = sizes_of(expected);
    const Graph graph = read_graph(world(), {.path = files.write("g.gr", as_text(vertices, edges))});
    const Components components = connected_components(world(), graph);
    EXPECT_EQ(world().all_gather(components.of_own), expected);
    EXPECT_EQ(components.count, static_cast<Index>(sizes.size()));
    EXPECT_EQ(graph.report().components, components.count);
    std::vector<std::pair<Index, Index>> largest(sizes.begin(), sizes.end());
    std::stable_sort(largest.begin(), largest.end(), [](auto& a, auto& b) { return a.second > b.second; });
    largest.resize(std::min<std::size_t>(largest.size(), 1000));
    std::sort(largest.begin(), largest.end());
    EXPECT_EQ(components.sizes, largest);
  }
}

// A path through all vertices in an order that jumps between ranks: the longest chains of roots.
TEST(Components, OfALongPathAreOne) {
  const WrittenFiles files;
  constexpr Index vertices = 20011;  // a prime: steps of any size pass through all
  for (const Index step : {Index{1}, Index{7919}, vertices - 1}) {
    Edges edges;
    for (Index k = 0; k + 1 < vertices; ++k) edges.emplace_back(k * step % vertices, (k + 1) * step % vertices);
    const Graph graph = read_graph(world(), {.path = files.write("g.gr", as_text(vertices, edges))});
    const Components components = connected_components(world(), graph);
    EXPECT_EQ(components.count, 1);
    EXPECT_EQ(components.sizes, (Edges{{0, vertices}}));
  }
}

TEST(LargestComponent, IsKeptAndRenumberedInOrder) {
  const WrittenFiles files;
  constexpr Index vertices = 3000;
  constexpr unsigned seed = 6;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const Edges edges = random_edges(vertices, 2500, seed);
  const Numbers component = searched_components(vertices, edges);
  const auto sizes = sizes_of(component);
  const auto largest =
      std::max_element(sizes.begin(), sizes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::map<Index, Index> number;
  Numbers ids;
  for (Index v = 0; v < vertices; ++v) {
    if (component[v] != largest->first) continue;
    number.emplace(v, static_cast<Index>(ids.size()));
    ids.push_back(v + 1);  // as the file has it
  }
  Edges expected;
  for (const auto& [u, v] : edges) {
    if (number.contains(u)) expected.push_back(std::minmax(number[u], number[v]));
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const WholeGraph graph =
      read_whole_graph({.path = files.write("g.gr", as_text(vertices, edges)), .largest_component = true});
  EXPECT_EQ(graph.vertices, largest->second);
  EXPECT_EQ(graph.edges, expected);
  EXPECT_EQ(graph.ids, ids);
  EXPECT_EQ(graph.report.components, static_cast<Index>(sizes.size()));
  EXPECT_EQ(graph.report.dropped_vertices, vertices - largest->second);
}

TEST(LargestComponent, KeepsLengthsAndNumbersOfSparseFiles) {
  const WrittenFiles files;
  const std::string text = "1000 2000 1\n70000 80000 2\n80000 90000 3\n";
  const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", text), .largest_component = true});
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(graph.lengths, (std::vector<double>{2, 3}));
  EXPECT_EQ(graph.ids, (Numbers{70000, 80000, 90000}));
  EXPECT_EQ(graph.report.dropped_vertices, 2);
}

TEST(LargestComponent, OfTwoAlikeIsTheFirst) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", "0 2\n1 3\n"), .largest_component = true});
  EXPECT_EQ(graph.ids, (Numbers{0, 2}));
}

TEST(LargestComponent, OfAConnectedGraphIsTheGraph) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", "0 2\n1 2\n"), .largest_component = true});
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_FALSE(graph.report.renumbered);
  EXPECT_EQ(graph.report.dropped_vertices, 0);
}

TEST(Grid, JoinsEachVertexToThoseBesideIt) {
  const WholeGraph graph = read_whole_graph({.generator = "grid", .points = 11, .removed = 0.0});
  EXPECT_EQ(graph.vertices, 9);  // rounded down to a square
  EXPECT_EQ(graph.edges,
            (Edges{{0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 6}, {4, 5}, {4, 7}, {5, 8}, {6, 7}, {7, 8}}));
  EXPECT_EQ(graph.report.components, 1);
}

// Binomial: 2 * 300 * 299 edges, a fifth of them removed; five standard deviations. The sum is the same on any number
// of ranks: the same edges are removed.
TEST(Grid, LosesItsShareOfEdges) {
  const WholeGraph graph = read_whole_graph({.generator = "grid", .points = 90000, .removed = 0.2, .seed = 3});
  const double all = 2 * 300 * 299;
  EXPECT_NEAR(static_cast<double>(graph.edges.size()), 0.8 * all, 5 * std::sqrt(0.16 * all));
  Index sum = 0;
  for (const auto& [u, v] : graph.edges) sum = (sum * 31 + u * 7 + v) % 1000003;
  EXPECT_EQ(sum, 804835);
  const WholeGraph other = read_whole_graph({.generator = "grid", .points = 90000, .removed = 0.2, .seed = 4});
  EXPECT_NE(graph.edges, other.edges);
}

TEST(Grid, WithFewEdgesHasALargestComponent) {
  const WholeGraph whole_grid = read_whole_graph({.generator = "grid", .points = 10000, .removed = 0.45});
  EXPECT_GT(whole_grid.report.components, 1);
  const auto sizes = sizes_of(searched_components(whole_grid.vertices, whole_grid.edges));
  Index most = 0;
  for (const auto& [component, size] : sizes) most = std::max(most, size);
  const WholeGraph largest =
      read_whole_graph({.largest_component = true, .generator = "grid", .points = 10000, .removed = 0.45});
  EXPECT_EQ(largest.vertices, most);
  EXPECT_EQ(whole_grid.report.components, static_cast<Index>(sizes.size()));
  EXPECT_EQ(searched_components(largest.vertices, largest.edges), Numbers(static_cast<std::size_t>(most), 0));
}

TEST(Grid, RefusesWhatItCannotMake) {
  const auto refused = [](const GraphSource& source, std::initializer_list<const char*> parts) {
    expect_graph_refused(source, parts, ErrorKind::usage);
  };
  refused({.generator = "torus", .points = 9}, {"'torus' is not known"});
  refused({.generator = "grid", .points = 0}, {"parameter points", "not 0"});
  refused({.generator = "grid", .points = 9, .removed = 1.0}, {"parameter removed", "not 1"});
  refused({.generator = "grid", .points = 9, .removed = -0.1}, {"parameter removed", "not -0.1"});
  refused({.generator = "grid", .points = 9, .removed = std::nan("")}, {"parameter removed", "nan"});
}

}  // namespace
}  // namespace cairn::test::graph_components_test
