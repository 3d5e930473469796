// Elimination orders, and the arcs that a hierarchy keeps.
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "shared_graphs.hpp"

namespace cairn::test::contraction_hierarchy_test {
namespace {

ContractionHierarchy contracted(const SharedGraph& graph) {
  std::string refused;
  ContractionHierarchy result = contract(graph, {}, refused);
  EXPECT_EQ(refused, "");
  return result;
}

Edges chain(Index vertices) {
  Edges edges;
  for (Index v = 0; v + 1 < vertices; ++v) add_edge(edges, v, v + 1);
  return edges;
}

TEST(EliminationTree, HasTheEndsOfEveryEdgeOnOnePathToARoot) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const Edges edges = seed % 2 == 0 ? grid_graph(30, 0.3, 1, seed) : random_graph(900, 500, 1, seed);
    const EliminationTree tree = contracted(share(900, edges)).tree;
    ASSERT_EQ(tree.size(), 900);
    for (std::size_t p = 0; p < 900; ++p) {
      EXPECT_EQ(tree.place_of[tree.vertex_at[p]], static_cast<std::int32_t>(p));
      ASSERT_LT(tree.parent[p], static_cast<std::int32_t>(p));
      EXPECT_EQ(tree.depth[p], p == 0 ? 0 : tree.depth[tree.parent[p]] + 1);
      if (p > 0) {  // preorder: the parent is the place before or one of its ancestors
        auto above = static_cast<std::int32_t>(p) - 1;
        while (above > tree.parent[p]) above = tree.parent[above];
        EXPECT_EQ(above, tree.parent[p]);
      }
    }
    for (const auto& [edge, length] : edges) {
      const std::int32_t u = tree.place_of[edge.first];
      const std::int32_t v = tree.place_of[edge.second];
      std::int32_t above = std::max(u, v);
      while (above > std::min(u, v)) above = tree.parent[above];
      EXPECT_EQ(above, std::min(u, v)) << edge.first << " - " << edge.second;
    }
  }
}

TEST(EliminationTree, OfAChainIsAboutAsHighAsItsLogarithm) {
  EXPECT_LE(contracted(share(4096, chain(4096))).height(), 26);
  Edges ring = chain(4096);
  add_edge(ring, 0, 4095);
  EXPECT_LE(contracted(share(4096, ring)).height(), 26);
}

TEST(ContractionHierarchy, KeepsOneArcAVertexOfAStar) {
  Edges star;
  for (Index v = 1; v < 10; ++v) add_edge(star, 0, v);
  const ContractionHierarchy hierarchy = contracted(share(10, star));
  EXPECT_EQ(hierarchy.up.heads.size(), 9U);
  EXPECT_THAT(hierarchy.up.lengths, testing::Each(testing::Le(2.0)));
  EXPECT_EQ(hierarchy.height(), 2);
}

TEST(ContractionHierarchy, KeepsExactlyTheArcsThatNoVertexAboveTheirLowerEndReplaces) {
  for (const int longest : {1, 5}) {
    SCOPED_TRACE(longest);
    const Edges edges = grid_graph(9, 0.2, longest, 6);
    const ContractionHierarchy hierarchy = contracted(share(81, edges, longest > 1));
    const std::vector<double> all = all_path_lengths(81, edges);
    const auto& vertex = hierarchy.tree.vertex_at;
    const auto between = [&](std::size_t p, std::size_t q) {
      return all[static_cast<std::size_t>(vertex[p]) * 81 + static_cast<std::size_t>(vertex[q])];
    };
    // An ancestor q of p is the head of an arc unless a shortest path between them meets another ancestor of p. Places
    // that are neither ancestors of p nor below it are no obstacle: to reach them a path has to meet one.
    for (std::size_t p = 0; p < 81; ++p) {
      std::map<std::int32_t, double> expected;
      std::vector<std::size_t> ancestors;
      for (auto a = hierarchy.tree.parent[p]; a >= 0; a = hierarchy.tree.parent[a])
        ancestors.push_back(static_cast<std::size_t>(a));
      for (const std::size_t q : ancestors) {
        const bool replaced = std::ranges::any_of(
            ancestors, [&](std::size_t u) { return u != q && between(p, u) + between(u, q) == between(p, q); });
        if (!replaced) expected[static_cast<std::int32_t>(q)] = between(p, q);
      }
      std::map<std::int32_t, double> kept;
      for (Index a = hierarchy.up.starts[p]; a < hierarchy.up.starts[p + 1]; ++a)
        kept[hierarchy.up.heads[a]] = hierarchy.up.lengths[a];
      EXPECT_EQ(kept, expected) << "place " << p;
    }
    EXPECT_GE(hierarchy.longest, *std::ranges::max_element(all));
  }
}

TEST(ContractionHierarchy, IsChosenForRoadsAndNotForGraphsWithoutSeparators) {
  const auto road = make_path_length(world(), share(900, grid_graph(30, 0.3, 1, 1)), "auto");
  EXPECT_EQ(road->method(), "hierarchy");
  EXPECT_THAT(road->choice(), testing::HasSubstr("separators are small"));
  const Edges dense = random_graph(400, 4000, 9, 1);
  const auto unit = make_path_length(world(), share(400, dense), "auto");
  EXPECT_EQ(unit->method(), "breadth-first");
  EXPECT_THAT(unit->choice(), testing::HasSubstr("mean degree"));
  EXPECT_EQ(make_path_length(world(), share(400, dense, true), "auto")->method(), "dijkstra");
  const Edges expander = random_graph(3000, 2000, 1, 1);  // degree 3 and a bit, and no separators
  const auto filled = make_path_length(world(), share(3000, expander), "auto");
  EXPECT_EQ(filled->method(), "breadth-first");
  EXPECT_THAT(filled->choice(), testing::HasSubstr("needs more than"));
}

TEST(ContractionHierarchy, IsNotMadeWhereItsLengthsTakeTooLong) {
  const SharedGraph graph = share(900, grid_graph(30, 0.0, 1, 1));
  HierarchyLimits limits;
  limits.triangles = 0;
  std::string refused;
  const ChordalCompletion completion = complete(graph, {}, refused);
  for (std::size_t p = 0; p < 900; ++p) {
    const Index above = completion.starts[p + 1] - completion.starts[p];
    limits.triangles += above * (above - 1) / 2;
  }
  static_cast<void>(contract(graph, limits, refused));
  EXPECT_EQ(refused, "");
  --limits.triangles;
  static_cast<void>(contract(graph, limits, refused));
  EXPECT_THAT(refused, testing::HasSubstr("triangles"));
}

}  // namespace
}  // namespace cairn::test::contraction_hierarchy_test
