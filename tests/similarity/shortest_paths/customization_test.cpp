// New lengths on the chordal completion of a graph, against Floyd and Warshall, and against the hierarchy that is made
// with these lengths.
#include "cairn/similarity/shortest_paths/customization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "../shared_graphs.hpp"
#include "cairn/similarity/shortest_paths/completed_graph.hpp"
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

namespace cairn::test::customization_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Gives the edges these lengths, in both directions if `graph` is not directed.
void set_lengths(CompletedGraph& graph, const OneWayArcs& arcs) {
  if (graph.up.node().is_root()) {
    std::ranges::fill(graph.up.writable(), infinite);
    std::ranges::fill(graph.down.writable(), infinite);
    for (const auto& [arc, length] : arcs) {
      const std::int32_t from = graph.place_of[arc.first], to = graph.place_of[arc.second];
      const Index k = arc_between(graph.starts.values(), graph.heads.values(), std::max(from, to), std::min(from, to));
      ASSERT_GE(k, 0);
      (graph.directed && from < to ? graph.down : graph.up).writable()[k] = length;
    }
  }
  graph.up.publish();
  if (graph.directed) graph.down.publish();
}

// Another length for each arc; some of them 0.
template <class Lengths>
Lengths reweighed(Lengths arcs, int round) {
  std::mt19937 random(static_cast<unsigned>(round));
  for (auto& [arc, length] : arcs) {
    length = static_cast<double>(random() % (round == 7 ? 4 : 1000));
    if (round == 8) length /= 7.0;
    if (round == 9) length *= 1e6;
    if (round != 7) length += 1.0;
  }
  return arcs;
}

void expect_lengths(const PathLength& lengths, const std::vector<double>& expected, double relative) {
  std::vector<Index> all(lengths.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> found(expected.size());
  const MatrixView<double> out(found.data(), lengths.size(), lengths.size());
  static_cast<void>(lengths.write_rows(all, *lengths.prepare(all), 1.0, LengthRows(out)));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (expected[k] == found[k]) continue;
    ASSERT_LE(std::abs(found[k] - expected[k]), relative * expected[k]) << "entry " << k;
  }
}

constexpr Index side = 15, vertices = side * side;

TEST(Customization, TakesTenReweighings) {
  const Edges edges = grid_graph(side, 0.2, 1, 1);
  const SharedGraph graph = share(vertices, edges);
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("seed " + std::to_string(round));
    CompletedGraph completed = complete(world(), graph, false, {});
    const Edges lengths = reweighed(edges, round);
    set_lengths(completed, lengths);
    const auto made = customized(world(), completed, 1 + round % 3);
    EXPECT_FALSE(made->directed());
    expect_lengths(*made, all_path_lengths(vertices, lengths), round == 8 ? 1e-13 : 0.0);
  }
}

TEST(Customization, TakesTenReweighingsOfOneWayArcs) {
  const OneWayArcs arcs = directed_arcs(grid_graph(side, 0.2, 1, 2), 0.3, 5, 3);
  const SharedGraph graph = share_directed(vertices, arcs);
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("seed " + std::to_string(round));
    CompletedGraph completed = complete(world(), graph, false, {});
    const OneWayArcs lengths = reweighed(arcs, round);
    set_lengths(completed, lengths);
    const auto made = customized(world(), completed, 1 + round % 3);
    EXPECT_TRUE(made->directed());
    expect_lengths(*made, all_directed_lengths(vertices, lengths), round == 8 ? 1e-13 : 0.0);
  }
}

// Fails unless the needed arcs of a completion are these.
void expect_same(const AncestorArcs& arcs, const CompletedGraph& graph, const NodeArray<double>& lengths,
                 const NodeArray<std::uint8_t>& needed, std::uint8_t bit) {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> heads;
  std::vector<double> kept;
  for (Index p = 0; p < graph.size(); ++p) {
    for (Index a = graph.starts[p]; a < graph.starts[p + 1]; ++a) {
      if ((needed[a] & bit) == 0) continue;
      heads.push_back(graph.heads[a]);
      kept.push_back(lengths[a]);
    }
    starts.push_back(std::ssize(heads));
  }
  EXPECT_EQ(arcs.starts, starts);
  EXPECT_EQ(arcs.heads, heads);
  EXPECT_EQ(arcs.lengths, kept);
}

// Together on all ranks and threads the arcs are those that one rank finds.
TEST(Customization, KeepsTheArcsOfAHierarchyMadeAnew) {
  for (const bool directed : {false, true}) {
    const Edges edges = grid_graph(40, 0.2, 500, 5);
    const SharedGraph graph =
        directed ? share_directed(1600, directed_arcs(edges, 0.3, 9, 6)) : share(1600, edges, true);
    std::string refused;
    const ContractionHierarchy anew = contract(graph, {}, refused);
    for (const int threads : {1, 3}) {
      CompletedGraph completed = complete(world(), graph, false, {});
      NodeArray<std::uint8_t> needed(world(), completed.arcs());
      customize(world(), completed.view(), completed.up, completed.down, needed, true, threads);
      EXPECT_EQ(anew.completion_arcs, completed.arcs());
      expect_same(anew.up, completed, completed.up, needed, needed_up);
      if (directed) expect_same(anew.down, completed, completed.down, needed, needed_down);
      EXPECT_GT(completed.arcs(), std::ssize(anew.up.heads));
    }
  }
}

StoredCompletion stored(const CompletedGraph& graph) {
  StoredCompletion lists;
  for (Index p = 0; p < graph.size(); ++p) {
    lists.vertices.push_back(graph.vertex_at[p]);
    lists.depths.push_back(graph.depth[p]);
    lists.degrees.push_back(static_cast<std::int32_t>(graph.starts[p + 1] - graph.starts[p]));
  }
  for (Index a = 0; a < graph.arcs(); ++a) {
    lists.heads.push_back(graph.depth[graph.heads[a]]);
    if (std::isinf(graph.up[a]) && (!graph.directed || std::isinf(graph.down[a]))) continue;
    lists.edges.push_back(a);
    lists.lengths.push_back(graph.up[a]);
    if (graph.directed) lists.back.push_back(graph.down[a]);
  }
  return lists;
}

TEST(StoredCompletion, IsRefusedWhereItIsDamaged) {
  for (const bool directed : {false, true}) {
    const OneWayArcs arcs = directed_arcs(grid_graph(9, 0.2, 9, 5), 0.3, 9, 6);
    const SharedGraph graph = directed ? share_directed(81, arcs) : share(81, grid_graph(9, 0.2, 9, 5), true);
    const CompletedGraph completed = complete(world(), graph, true, {});
    std::vector<double> up, down;
    const auto refusal = [&](const std::function<void(StoredCompletion&)>& damage) {
      StoredCompletion lists = stored(completed);
      damage(lists);
      std::string refused;
      static_cast<void>(unpack(lists, directed, up, down, refused));
      return refused;
    };
    using testing::HasSubstr;
    EXPECT_EQ("", refusal([](auto&) {}));
    EXPECT_THAT(up, testing::ElementsAreArray(completed.up.values()));
    EXPECT_THAT(down, testing::ElementsAreArray(completed.down.values()));
    EXPECT_THAT(refusal([](auto& s) { s.depths.pop_back(); }), HasSubstr("81 vertices, 80 depths"));
    EXPECT_THAT(refusal([](auto& s) { s.vertices[5] = s.vertices[6]; }), HasSubstr("or a duplicate"));
    EXPECT_THAT(refusal([](auto& s) { s.degrees[9] = -1; }), HasSubstr("the place 9 -1 arcs"));
    EXPECT_THAT(refusal([](auto& s) { s.degrees[9] = 81; }), HasSubstr("the place 9 81 arcs"));
    EXPECT_THAT(refusal([](auto& s) { s.degrees.back() -= 1; }), testing::Not(""));
    EXPECT_THAT(refusal([](auto& s) { s.heads.back() = 81; }), HasSubstr("to depth 81"));
    EXPECT_THAT(refusal([](auto& s) { s.heads[s.heads.size() - 1] = s.heads[s.heads.size() - 2]; }), testing::Not(""));
    EXPECT_THAT(refusal([](auto& s) { s.edges[3] = s.edges[2]; }), HasSubstr("has the edge"));
    EXPECT_THAT(refusal([](auto& s) { s.edges.back() = std::ssize(s.heads); }), HasSubstr("has the edge"));
    EXPECT_THAT(refusal([](auto& s) { s.lengths[1] = -1; }), HasSubstr("an edge of length -1"));
    EXPECT_THAT(refusal([](auto& s) { s.lengths[1] = std::nan(""); }), HasSubstr("an edge of length nan"));
    EXPECT_THAT(refusal([](auto& s) { s.lengths.pop_back(); }), HasSubstr("lengths"));
    EXPECT_THAT(refusal([&](auto& s) {
                  s.lengths[1] = infinite;
                  if (directed) s.back[1] = infinite;
                }),
                testing::Not(""));
    // A path over arcs that a completion has to have, and that are left out, would be missed.
    for (std::size_t arc = 0; arc < stored(completed).heads.size(); ++arc) {
      StoredCompletion lists = stored(completed);
      std::size_t place = 0, first = 0;
      while (first + static_cast<std::size_t>(lists.degrees[place]) <= arc) {
        first += static_cast<std::size_t>(lists.degrees[place++]);
      }
      lists.heads.erase(lists.heads.begin() + static_cast<std::ptrdiff_t>(arc));
      --lists.degrees[place];
      lists.edges.clear(), lists.lengths.clear(), lists.back.clear();
      std::string refused;
      const ChordalCompletion left = unpack(lists, directed, up, down, refused);
      if (!refused.empty()) continue;
      std::vector<std::uint8_t> needed(up.size());
      customize(CompletionView::of(left), {up, down}, needed, false);  // reads no arc that is not there
    }
  }
}

}  // namespace
}  // namespace cairn::test::customization_test
