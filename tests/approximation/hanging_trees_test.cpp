// Trees that hang off a graph, against path lengths by brute force; and biharmonic interpolation without them.
#include "cairn/data/graph/hanging_trees.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "landmark/remembering_ledger.hpp"
#include "method_run.hpp"
#include "similarity/shared_graphs.hpp"

namespace cairn::hanging_trees_test {
namespace {

using test::Context;
using test::world;

struct Sample {
  Index n;
  test::Edges edges;
};

// A circle of `core` vertices, and others that hang off earlier ones at random; numbers are shuffled.
Sample circle_with_trees(Index core, Index n, int longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> name(n);
  for (std::size_t v = 0; v < name.size(); ++v) name[v] = static_cast<Index>(v);
  std::ranges::shuffle(name, random);
  const auto named = [&](Index v) { return name[v]; };
  const auto length = [&] { return 1.0 + static_cast<double>(static_cast<Index>(random()) % longest); };
  Sample sample{n, {}};
  for (Index v = 0; v < core; ++v) test::add_edge(sample.edges, named(v), named((v + 1) % core), length());
  for (Index v = core; v < n; ++v) {
    test::add_edge(sample.edges, named(v), named(static_cast<Index>(random()) % v), length());
  }
  return sample;
}

Sample path(Index n) {
  Sample sample{n, {}};
  for (Index v = 1; v < n; ++v) test::add_edge(sample.edges, v - 1, v);
  return sample;
}

Sample star(Index n) {
  Sample sample{n, {}};
  for (Index v = 1; v < n; ++v) test::add_edge(sample.edges, 0, v);
  return sample;
}

// Every path is the way to both roots, and between these, less what both ways have in common; no tree is too large, and
// none could be larger.
void expect_trees(const Sample& sample, const HangingTrees& trees, Index largest) {
  const auto n = static_cast<std::size_t>(sample.n);
  const std::vector<double> lengths = test::all_path_lengths(sample.n, sample.edges);
  const std::vector<Index> core = trees.core_vertices();
  ASSERT_EQ(static_cast<Index>(core.size()), trees.core);
  ASSERT_GE(trees.core, 1);
  for (std::size_t a = 0; a < n; ++a) {
    const auto root = static_cast<std::size_t>(core[trees.roots[static_cast<Index>(a)]]);
    EXPECT_EQ(trees.heights[static_cast<Index>(a)], lengths[a * n + root]);
    for (std::size_t b = 0; b < n; ++b) {
      const auto other = static_cast<std::size_t>(core[trees.roots[static_cast<Index>(b)]]);
      const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
      ASSERT_EQ(trees.heights[i] + lengths[root * n + other] + trees.heights[j] - 2.0 * trees.common_height(i, j),
                lengths[a * n + b])
          << a << " " << b;
    }
  }
  std::vector<Index> below(n, 0), beside(n, 0);  // vertices under each, and edges to others than these
  for (Index v = 0; v < sample.n; ++v) {
    for (Index u = v; !trees.in_core(u); u = trees.parents[u]) ++below[u];
  }
  for (const auto& [edge, length] : sample.edges) {
    const auto [u, v] = edge;
    if (trees.in_core(u) && trees.in_core(v)) ++beside[u], ++beside[v];
  }
  for (Index v = 0; v < sample.n; ++v) EXPECT_LE(below[v], largest);
  for (const Index v : core) {
    Index hanging = 1;
    for (Index u = 0; u < sample.n; ++u) {
      hanging += !trees.in_core(u) && core[trees.roots[u]] == v ? 1 : 0;
    }
    if (beside[v] == 1 && trees.core > 2) {
      EXPECT_GT(hanging, largest) << v;
    }
  }
}

TEST(HangingTrees, SplitPathsAtTheirRoots) {
  for (const Sample& sample : {circle_with_trees(10, 60, 1, 1), circle_with_trees(3, 80, 9, 2),
                               circle_with_trees(20, 20, 5, 3), path(30), star(20), path(2), path(1)}) {
    const SharedGraph graph = test::share(sample.n, sample.edges, true);
    for (const Index largest : {1, 2, 5, 1000}) {
      const HangingTrees trees = hanging_trees(world(), graph, largest);
      expect_trees(sample, trees, largest);
      const SharedGraph core = core_of(world(), graph, trees);
      ASSERT_EQ(core.vertices(), trees.core);
      const std::vector<double> lengths = test::all_path_lengths(sample.n, sample.edges);
      const auto within = make_path_length(world(), core, "dijkstra");
      const std::vector<Index> vertices = trees.core_vertices();
      std::vector<double> row(trees.core);
      for (Index a = 0; a < trees.core; ++a) {
        within->to_all(std::span(&a, 1), {row.data(), 1, trees.core});
        for (std::size_t b = 0; b < row.size(); ++b) {
          EXPECT_EQ(row[b], lengths[vertices[a] * sample.n + vertices[b]]);
        }
      }
    }
  }
}

TEST(HangingTrees, LeaveVerticesThatAreKeptInTheCoreWithTheirWay) {
  const Sample sample = path(20);
  const std::vector<Index> kept = {3, 12};
  const HangingTrees trees = hanging_trees(world(), test::share(20, sample.edges), 1000, kept);
  for (Index v = 0; v < 20; ++v) EXPECT_EQ(trees.in_core(v), v >= 3 && v <= 12) << v;
}

TEST(HangingTrees, AreRefusedInCirclesAndWithOtherHeights) {
  const auto made = [&](const std::vector<std::int32_t>& parents, const std::vector<double>& heights) {
    const bool root = world().is_root();
    std::string refused;
    const HangingTrees trees = trees_of(
        world(), replicate_on_nodes<std::int32_t>(world(), root ? std::span(parents) : std::span<const std::int32_t>()),
        replicate_on_nodes<double>(world(), root ? std::span(heights) : std::span<const double>()), refused);
    EXPECT_EQ(trees.size() > 0, refused.empty());
    return refused;
  };
  EXPECT_EQ(made({-1, 0, 1, 0}, {0, 1, 3, 2}), "");
  EXPECT_THAT(made({-1, 2, 1, 0}, {0, 1, 3, 2}), testing::HasSubstr("vertex 1"));
  EXPECT_THAT(made({-1, 4, 1, 0}, {0, 1, 3, 2}), testing::HasSubstr("vertex 1 has the parent 4"));
  EXPECT_THAT(made({-1, 0, 1, 0}, {1, 2, 3, 2}), testing::HasSubstr("height"));
  EXPECT_THAT(made({-1, 2, 1, 0, 2}, {0, 3, 3, 2, 4}), testing::HasSubstr("vertex 1 is on a cycle of parents"));
}

// Vertex 1 hangs off 0, and 2 and 3 off 1; what is added to 1e17 is lost.
TEST(HangingTrees, MayHaveEdgesThatAreLostInTheirHeights) {
  const bool root = world().is_root();
  const std::vector<std::int32_t> parents = {-1, 0, 1, 1};
  const std::vector<double> heights = {0, 1e17, 1e17 + 1, 1e17 + 1};
  std::string refused;
  const HangingTrees trees = trees_of(
      world(), replicate_on_nodes<std::int32_t>(world(), root ? std::span(parents) : std::span<const std::int32_t>()),
      replicate_on_nodes<double>(world(), root ? std::span(heights) : std::span<const double>()), refused);
  ASSERT_EQ(refused, "");
  for (const auto& [a, b] : std::vector<std::pair<Index, Index>>{{1, 2}, {2, 1}, {2, 3}, {3, 2}}) {
    EXPECT_EQ(trees.common_height(a, b), 1e17) << a << " " << b;
  }
  EXPECT_EQ(trees.common_height(0, 3), 0.0);
  EXPECT_EQ(trees.depth(3), 2);
}

template <class T = double>
Approximation<T> approximate(const SharedGraph& graph, const SourceSimilarity& lengths,
                             const std::shared_ptr<const HangingTrees>& trees, const std::vector<Index>& landmarks,
                             const TileStorage& storage = {}) {
  Context context;
  BiharmonicParameters parameters;
  parameters.trees = trees;
  parameters.storage = storage;
  InterpolationReport report;
  return biharmonic<T>(context.execution, graph_operator(world(), graph), lengths, landmarks, parameters, report);
}

// Where all of the core are landmarks every path is exact, also within a tree; whole matrices, entries, and columns of
// a matrix whose tiles are in a ledger.
TEST(ExactTrees, AreExactIfAllOfTheCoreAreLandmarks) {
  const Sample sample = circle_with_trees(18, 70, 1, 4);
  const SharedGraph graph = test::share(sample.n, sample.edges);
  const auto trees = std::make_shared<const HangingTrees>(hanging_trees(world(), graph, 4));
  ASSERT_GT(trees->hanging(), 20);
  const auto lengths = make_path_length(world(), graph, "auto");
  const std::vector<double> exact = test::all_path_lengths(sample.n, sample.edges);
  Context context;
  const auto expect_exact = [&](const auto& approximation) {
    const test::Dense found = test::reconstruct(context.execution, approximation);
    for (Index i = 0; i < sample.n; ++i) {
      for (Index j = 0; j < sample.n; ++j) {
        ASSERT_NEAR(found(i, j), exact[i * sample.n + j], 1e-5) << i << " " << j;
      }
    }
  };
  const std::vector<Index> core = trees->core_vertices();
  const Approximation<double> approximation = approximate(graph, *lengths, trees, core);
  EXPECT_EQ(approximation.left.columns(), trees->core + 2);
  EXPECT_EQ(core_matrix_rows(approximation.core_matrix), trees->core + 2);
  expect_exact(approximation);
  expect_exact(approximate<float>(graph, *lengths, trees, core));
  const Approximation<double> in_ledger =
      approximate(graph, *lengths, trees, core, [](Index) { return std::make_shared<test::RememberingLedger>(); });
  expect_exact(in_ledger);
  std::vector<Index> columns;
  for (Index j = 0; j < sample.n; ++j) columns.push_back(j);
  ColumnsInTurn<double> in_turn(context.execution, in_ledger, columns);
  for (Index begin = 0; begin < sample.n; begin += 7) {
    const Index count = std::min<Index>(7, sample.n - begin);
    const RowBlock<double> block = in_turn.next(count);
    for (Index i = block.range().begin; i < block.range().end; ++i) {
      for (Index c = 0; c < count; ++c) {
        EXPECT_NEAR(block.row(i)[c], exact[i * sample.n + begin + c], 1e-9);
      }
    }
  }
}

// With fewer landmarks: K~ of the core, made by itself, and the ways to the roots.
TEST(ExactTrees, AddTheWaysToTheirRootsToTheCore) {
  const Sample sample = circle_with_trees(40, 120, 1, 5);
  const SharedGraph graph = test::share(sample.n, sample.edges);
  const auto trees = std::make_shared<const HangingTrees>(hanging_trees(world(), graph, 6));
  const auto lengths = make_path_length(world(), graph, "auto");
  std::vector<Index> of_core, landmarks;
  for (Index c = 0; c < trees->core; c += 5) of_core.push_back(c);
  for (const Index c : of_core) landmarks.push_back(trees->core_vertices()[c]);
  const SharedGraph core = core_of(world(), graph, *trees);
  Context context;
  const test::Dense alone = test::reconstruct(
      context.execution, approximate(core, *make_path_length(world(), core, "auto"), nullptr, of_core));
  const test::Dense all = test::reconstruct(context.execution, approximate(graph, *lengths, trees, landmarks));
  for (Index i = 0; i < sample.n; ++i) {
    for (Index j = 0; j < sample.n; ++j) {
      ASSERT_NEAR(all(i, j),
                  alone(trees->roots[i], trees->roots[j]) + trees->heights[i] + trees->heights[j] -
                      2.0 * trees->common_height(i, j),
                  1e-9);
    }
  }
}

TEST(ExactTrees, RefuseRootsAndLandmarksOutsideTheCore) {
  const Sample sample = circle_with_trees(10, 30, 1, 6);
  const SharedGraph graph = test::share(sample.n, sample.edges);
  const auto trees = std::make_shared<const HangingTrees>(hanging_trees(world(), graph, 3));
  const auto lengths = make_path_length(world(), graph, "auto");
  Index hanging = 0;
  while (trees->in_core(hanging)) ++hanging;
  EXPECT_THROW(static_cast<void>(approximate(graph, *lengths, trees, {hanging})), Error);
  Context context;
  BiharmonicParameters parameters;
  parameters.trees = trees;
  parameters.transform = Transform::sqrt;
  InterpolationReport report;
  EXPECT_THROW(static_cast<void>(biharmonic<double>(context.execution, graph_operator(world(), graph), *lengths,
                                                    trees->core_vertices(), parameters, report)),
               Error);
}

}  // namespace
}  // namespace cairn::hanging_trees_test
