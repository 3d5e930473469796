// Graphs: what is read, shared and joined, against small graphs that are checked by hand and sequential references.
#include "data/graph.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "whole_graph.hpp"

namespace cairn::test {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

TEST(ShippedData, BayAreaRoadsAreRead) {
  const Graph graph = read_graph(world(), {.path = std::string(CAIRN_TEST_DATA) + "/USA-BAY.gr.xz"});
  EXPECT_EQ(graph.size(), 321270);
  EXPECT_FALSE(graph.weighted());
  EXPECT_EQ(graph.report().components, 1);
  EXPECT_EQ(graph.report().self_loops, 0);
  EXPECT_EQ(graph.report().repeated_edges, 0);
  EXPECT_EQ(graph.report().first_id, 1);
  const SharedGraph shared = graph.share(world());
  EXPECT_EQ(shared.vertices(), 321270);
  EXPECT_EQ(shared.arcs(), 2 * 397415);
  EXPECT_TRUE(shared.lengths.empty());
  EXPECT_EQ(shared.neighbours[0], 1);  // the file's first lines: 1 2, 1 308
  EXPECT_EQ(shared.neighbours[1], 307);
}

TEST(OtherData, NorthEastRoadsAreRead) {
  const char* folder = std::getenv("CAIRN_DATA");
  if (folder == nullptr) GTEST_SKIP() << "CAIRN_DATA does not name a folder of further inputs";
  const auto begin = std::chrono::steady_clock::now();
  const Graph graph = read_graph(world(), {.path = std::string(folder) + "/roads/USA-NE.gr.xz"});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (world().is_root()) RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_EQ(graph.size(), 1524453);
  EXPECT_EQ(world().sum(static_cast<Index>(graph.neighbours().size())), 2 * 1934010);
  EXPECT_EQ(graph.report().components, 1);
}

}  // namespace
}  // namespace cairn::test
