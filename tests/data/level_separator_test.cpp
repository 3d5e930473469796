// Separators of graphs whose smallest ones are known.
#include "cairn/data/graph/level_separator.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "test_communicator.hpp"

namespace cairn::level_separator_test {
namespace {

using test::world;
using Edges = std::vector<std::pair<Index, Index>>;

Index separator_of(Index n, const Edges& edges) {
  const RowPartition partition(n, world().size());
  const Range own = partition.range(world().rank());
  std::vector<std::set<Index>> rows(n);
  for (const auto& [u, v] : edges) {
    rows[u].insert(v);
    rows[v].insert(u);
  }
  std::vector<Index> starts = {0}, neighbors;
  for (Index v = own.begin; v < own.end; ++v) {
    const auto& row = rows[v];
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    starts.push_back(static_cast<Index>(neighbors.size()));
  }
  return level_separator(Graph(partition, world().rank(), starts, neighbors, {}).share(world()));
}

TEST(LevelSeparator, OfAPathIsOneVertex) {
  Edges edges;
  for (Index v = 0; v + 1 < 30; ++v) edges.emplace_back(v, v + 1);
  EXPECT_EQ(separator_of(30, edges), 1);
}

TEST(LevelSeparator, OfAGridIsADiagonal) {
  constexpr Index side = 12;
  Edges edges;
  for (Index r = 0; r < side; ++r) {
    for (Index c = 0; c < side; ++c) {
      if (c + 1 < side) edges.emplace_back(r * side + c, r * side + c + 1);
      if (r + 1 < side) edges.emplace_back(r * side + c, (r + 1) * side + c);
    }
  }
  // Levels from a corner: 1, 2, .., 12, .., 1; the tenth leaves 45 and 89 of 144, the ninth 36 and 99.
  EXPECT_EQ(separator_of(side * side, edges), 10);
}

TEST(LevelSeparator, OfACompleteGraphIsAll) {
  Edges edges;
  for (Index u = 0; u < 20; ++u)
    for (Index v = 0; v < u; ++v) edges.emplace_back(u, v);
  EXPECT_GE(separator_of(20, edges), 19);
}

TEST(LevelSeparator, OfAGraphWithoutEdgesBeyondOneVertexIsIt) { EXPECT_EQ(separator_of(1, {}), 1); }

}  // namespace
}  // namespace cairn::level_separator_test
