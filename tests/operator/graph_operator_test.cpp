// The graph operator of a mesh against a set of its edges.
#include "cairn/operator/graph_operator.hpp"

#include <set>

#include "../data/written_files.hpp"

namespace cairn::test::graph_operator_test {
namespace {

TEST(GraphOperator, OfAMeshHasEachEdgeOnce) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "torus", .points = 300});
  std::set<std::pair<Index, Index>> edges;
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const Index i = mesh.triangle(t)[k], j = mesh.triangle(t)[(k + 1) % 3];
      edges.insert({i, j});
      edges.insert({j, i});
    }
  }
  const BiharmonicOperator a = graph_operator(world(), mesh);
  EXPECT_EQ(a.kind, "graph");
  EXPECT_TRUE(a.weights.empty());
  EXPECT_TRUE(a.inverse_mass.empty());
  ASSERT_EQ(a.size(), mesh.size());
  ASSERT_EQ(a.neighbors.size(), static_cast<Index>(edges.size()));
  auto edge = edges.begin();  // sorted by both ends, as the rows are
  for (Index v = 0; v < a.size(); ++v) {
    EXPECT_EQ(a.degrees[v], static_cast<double>(a.starts[v + 1] - a.starts[v]));
    for (Index arc = a.starts[v]; arc < a.starts[v + 1]; ++arc, ++edge) {
      EXPECT_EQ(edge->first, v);
      EXPECT_EQ(edge->second, a.neighbors[arc]);
    }
  }
}

TEST(GraphOperator, OfTwoTrianglesByHand) {
  const WrittenFiles files;
  MeshSource source;
  source.path = files.write("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 3 4 1\n");
  const BiharmonicOperator a = graph_operator(world(), read_mesh(world(), source));
  const std::vector<Index> starts(a.starts.values().begin(), a.starts.values().end());
  const std::vector<std::int32_t> neighbors(a.neighbors.values().begin(), a.neighbors.values().end());
  EXPECT_EQ(starts, (std::vector<Index>{0, 3, 5, 8, 10}));
  EXPECT_EQ(neighbors, (std::vector<std::int32_t>{1, 2, 3, 0, 2, 0, 1, 3, 0, 2}));
}

}  // namespace
}  // namespace cairn::test::graph_operator_test
