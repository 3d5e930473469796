// Directed graphs in all formats, against arcs that are written out.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <random>

#include "../whole_graph.hpp"
#include "cairn/data/graph/strong_components.hpp"
#include "expected_errors.hpp"

namespace cairn::test::directed_graph_test {
namespace {

using Arcs = std::map<std::pair<Index, Index>, double>;

// All arcs that exist, on every rank. Fails unless neighbors know each other.
Arcs arcs_of(const Graph& graph) {
  EXPECT_TRUE(graph.directed());
  const SharedGraph shared = graph.share(world());
  EXPECT_TRUE(shared.directed);
  Arcs arcs;
  std::map<std::pair<Index, Index>, int> pairs;
  for (Index v = 0; v < shared.vertices(); ++v) {
    for (Index a = shared.starts[v]; a < shared.starts[v + 1]; ++a) {
      const Index w = shared.neighbors[a];
      ++pairs[{std::min(v, w), std::max(v, w)}];
      if (std::isfinite(shared.lengths[a])) arcs[{v, w}] = shared.lengths[a];
    }
  }
  for (const auto& [pair, count] : pairs) {
    EXPECT_EQ(count, 2);
    EXPECT_TRUE(arcs.contains(pair) || arcs.contains({pair.second, pair.first}));
  }
  EXPECT_EQ(graph.report().edges, static_cast<Index>(arcs.size()));
  return arcs;
}

Graph read(const std::string& path) { return read_graph(world(), {.path = path, .directed = true}); }

const Arcs expected = {{{0, 1}, 3}, {{1, 0}, 4}, {{1, 2}, 5}, {{3, 2}, 6}, {{2, 0}, 1}};

TEST(DirectedGraphs, AreReadFromEveryFormat) {
  const WrittenFiles files;
  for (const auto& [name, text] :
       {std::pair("g.txt", "0 1 3\n1 0 4\n1 2 5\n3 2 6\n2 0 1\n"),
        {"g.csv", "from,to,length\n0,1,3\n1,0,4\n1,2,5\n3,2,6\n2,0,1\n"},
        {"g.gr", "c x\np sp 4 5\na 1 2 3\na 2 1 4\na 2 3 5\na 4 3 6\na 3 1 1\n"},
        {"g.cedge", "0 0 1 3\n1 1 0 4\n2 1 2 5\n3 3 2 6\n4 2 0 1\n"},
        {"g.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 2 3\n2 1 4\n2 3 5\n4 3 6\n3 1 1\n"}}) {
    SCOPED_TRACE(name);
    const Graph graph = read(files.write(name, text));
    EXPECT_EQ(arcs_of(graph), expected);
    EXPECT_EQ(graph.report().components, 2);  // no path leads to vertex 3
    EXPECT_EQ(graph.report().repeated_edges, 0);
    EXPECT_EQ(graph.report().file_edges, 4);
    EXPECT_EQ(graph.report().both_ways, 1);
    EXPECT_EQ(graph.report().shortest, 1);
    EXPECT_EQ(graph.report().longest, 6);
  }
}

TEST(DirectedGraphs, WithoutLengthsHaveThoseOfOne) {
  const WrittenFiles files;
  for (const char* text : {"p tw 3 2\n1 2\n3 2\n", "p sp 3 2\na 1 2 7\na 3 2 8\n"}) {
    const Graph graph = read_graph(world(), {.path = files.write("g.gr", text), .weighted = false, .directed = true});
    EXPECT_EQ(arcs_of(graph), (Arcs{{{0, 1}, 1}, {{2, 1}, 1}}));
  }
}

TEST(DirectedGraphs, HaveBothArcsOfASymmetricMatrix) {
  const WrittenFiles files;
  const std::string path =
      files.write("g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 7\n");
  EXPECT_EQ(arcs_of(read(path)), (Arcs{{{0, 1}, 5}, {{1, 0}, 5}, {{1, 2}, 7}, {{2, 1}, 7}}));
}

TEST(DirectedGraphs, TakeTheShorterOfTwoLengthsOfAnArc) {
  const WrittenFiles files;
  const Graph graph = read(files.write("g.txt", "0 1 5\n0 1 3\n1 0 9\n0 1 3\n1 2 4\n1 2 4\n2 0 1\n1 1 3\n"));
  EXPECT_EQ(arcs_of(graph), (Arcs{{{0, 1}, 3}, {{1, 0}, 9}, {{1, 2}, 4}, {{2, 0}, 1}}));
  EXPECT_EQ(graph.report().repeated_edges, 3);
  EXPECT_EQ(graph.report().different_lengths, 1);
  EXPECT_EQ(graph.report().self_loops, 1);
  EXPECT_EQ(graph.report().components, 1);
}

TEST(DirectedGraphs, KeepTheirLargestStrongComponent) {
  const WrittenFiles files;
  const std::string path = files.write("g.txt", "0 1 1\n1 0 2\n1 2 3\n2 3 4\n3 4 5\n4 2 6\n4 5 7\n");
  const Graph graph = read_graph(world(), {.path = path, .largest_component = true, .directed = true});
  EXPECT_EQ(graph.report().components, 3);
  EXPECT_EQ(graph.report().dropped_vertices, 3);
  EXPECT_EQ(arcs_of(graph), (Arcs{{{0, 1}, 4}, {{1, 2}, 5}, {{2, 0}, 6}}));
  EXPECT_EQ(world().all_gather(graph.report().original_ids), (std::vector<Index>{2, 3, 4}));
}

TEST(DirectedGraphs, RefuseInfiniteLengths) {
  const WrittenFiles files;
  const std::string path = files.write("g.txt", "0 1 5\n1 0 inf\n");
  const auto error = error_of([&] { static_cast<void>(read(path)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->what(), testing::HasSubstr("g.txt:2: 'inf' is not a finite number"));
}

// By reachability along all ways.
TEST(StrongComponents, AreThoseOfMutualReachability) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 1 + random() % 24, m = random() % (3 * n);
    std::vector<std::vector<std::int32_t>> rows(n);
    for (std::size_t k = 0; k < m; ++k) rows[random() % n].push_back(static_cast<std::int32_t>(random() % n));
    std::vector<Index> starts{0};
    std::vector<std::int32_t> heads;
    std::vector<double> lengths;
    std::vector<char> reached(n * n, 0);
    for (std::size_t v = 0; v < n; ++v) {
      reached[v * n + v] = 1;
      for (const std::int32_t w : rows[v]) {
        const bool exists = random() % 5 != 0;
        heads.push_back(w);
        lengths.push_back(exists ? 1.0 : std::numeric_limits<double>::infinity());
        if (exists) reached[v * n + static_cast<std::size_t>(w)] = 1;
      }
      starts.push_back(static_cast<Index>(heads.size()));
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n * n; ++i) {
        if (reached[i / n * n + k] != 0 && reached[k * n + i % n] != 0) reached[i] = 1;
      }
    }
    const std::vector<std::int32_t> component = strong_components(starts, heads, lengths);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const bool there = reached[i * n + j] != 0, back = reached[j * n + i] != 0;
        EXPECT_EQ(component[i] == component[j], there && back) << "round " << round;
        if (there) EXPECT_GE(component[i], component[j]) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test::directed_graph_test
