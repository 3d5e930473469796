// Graphs: what is read, joined, dropped and shared, against graphs that are checked by hand.
#include "cairn/data/graph/graph.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <random>

#include "whole_graph.hpp"

namespace cairn::test::graph_test {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;
using Numbers = std::vector<Index>;
using Lengths = std::vector<double>;

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
  EXPECT_EQ(shared.neighbors[0], 1);  // the file's first lines: 1 2, 1 308
  EXPECT_EQ(shared.neighbors[1], 307);
}

class OtherData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CAIRN_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
    folder_ = folder;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/roads/" + name; }

 private:
  std::string folder_;
};

TEST_F(OtherData, NorthEastRoadsAreRead) {
  CAIRN_UP_TO_RANKS(2);
  const Graph graph = read_graph(world(), {.path = file("USA-NE.gr.xz")});
  EXPECT_EQ(graph.size(), 1524453);
  EXPECT_EQ(world().sum(static_cast<Index>(graph.neighbors().size())), 2 * 1934010);
  EXPECT_EQ(graph.report().components, 1);
}

TEST_F(OtherData, CalifornianRoadsAreReadWithTheirLengths) {
  const WholeGraph graph = read_whole_graph({.path = file("california.cedge.xz")});
  EXPECT_EQ(graph.vertices, 21048);
  const auto edges = static_cast<Index>(graph.edges.size());
  EXPECT_EQ(edges + graph.report.repeated_edges + graph.report.self_loops, 21693);
  const auto edge = std::find(graph.edges.begin(), graph.edges.end(), std::pair<Index, Index>(0, 6));
  ASSERT_NE(edge, graph.edges.end());
  EXPECT_EQ(graph.lengths[edge - graph.edges.begin()], 0.005952);
}

TEST(EdgeLists, AreReadAsSnapWritesThem) {
  const WrittenFiles files;
  const std::string text = "# Undirected graph\n# FromNodeId\tToNodeId\n0\t1\n1\t0\n\n1\t3\r\n% more\n 2  3 \n2\t4";
  for (const std::string& name : {"g.txt", "g.edges", "g.el", "g.tsv"}) {
    const WholeGraph graph = read_whole_graph({.path = files.write(name, text)});
    EXPECT_EQ(graph.vertices, 5);
    EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 3}, {2, 3}, {2, 4}}));
    EXPECT_TRUE(graph.lengths.empty());
    EXPECT_EQ(graph.report.repeated_edges, 1);
    EXPECT_EQ(graph.report.components, 1);
    EXPECT_FALSE(graph.report.renumbered);
  }
}

TEST(EdgeLists, HaveLengthsOfAnyNotation) {
  const WrittenFiles files;
  const std::string path = files.write("g.txt", "0 1 2\n1 2 0.5\n2 0 1e-3\n");
  const WholeGraph graph = read_whole_graph({.path = path});
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(graph.lengths, (Lengths{2, 1e-3, 0.5}));
  EXPECT_TRUE(read_whole_graph({.path = path, .weighted = false}).lengths.empty());
}

TEST(EdgeLists, HaveCommasAndAHeader) {
  const WrittenFiles files;
  for (const std::string text :
       {"from,to,meters\n0,1,2\n1,2,0.5\n", "# roads\nfrom\tto\tmeters\n0\t1\t2\n1\t2\t.5\n", "0,1,2\n1, 2, 0.5"}) {
    const WholeGraph graph = read_whole_graph({.path = files.write("g.csv", text)});
    EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(graph.lengths, (Lengths{2, 0.5}));
    EXPECT_EQ(graph.report.header.empty(), text[0] == '0');
  }
}

TEST(EdgeLists, AreNumberedFromTheirSmallestNumber) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", "1 2\n3 2\n")});
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(graph.report.first_id, 1);
  EXPECT_FALSE(graph.report.renumbered);
}

TEST(EdgeLists, KeepNumbersThatAreNotInUseWhereTheyAreFew) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", "0 1\n1 2\n2 4\n")});
  EXPECT_EQ(graph.vertices, 5);
  EXPECT_EQ(graph.report.components, 2);  // vertex 3 is one
}

// Six numbers far apart, and near each other but mostly not in use: both ways that sparse numbers are found out.
TEST(EdgeLists, AreCompactedWhereTheirNumbersAreSparse) {
  const WrittenFiles files;
  const Index far = Index{1} << 40;
  for (const Index step : {far, Index{3}}) {
    const auto id = [step](Index k) { return step * k + k % 2 + 7; };
    std::string text;
    for (const auto& [u, v] : Edges{{5, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 2}, {0, 3}, {1, 4}, {2, 5}}) {
      text += fmt::format("{} {}\n", id(u), id(v));
    }
    const WholeGraph graph = read_whole_graph({.path = files.write("g.txt", text)});
    EXPECT_EQ(graph.vertices, 6);
    EXPECT_EQ(graph.edges, (Edges{{0, 1}, {0, 2}, {0, 3}, {0, 5}, {1, 2}, {1, 4}, {2, 3}, {2, 5}, {3, 4}, {4, 5}}));
    EXPECT_EQ(graph.ids, (Numbers{id(0), id(1), id(2), id(3), id(4), id(5)}));
    EXPECT_TRUE(graph.report.renumbered);
    EXPECT_EQ(graph.report.dropped_vertices, 0);
    EXPECT_EQ(graph.report.components, 1);
  }
}

TEST(Dimacs, ShortestPathFilesAreRead) {
  const WrittenFiles files;
  const std::string text = "c roads\np sp 4 6\nc arcs\na 1 2 803\na 2 1 803\na 2 3 158\na 3 2 158\na 4 3 7\na 3 4 7\n";
  for (const std::string& packed : {text, gzipped(text), xz_compressed(text)}) {
    const WholeGraph graph = read_whole_graph({.path = files.write("g.gr", packed)});
    EXPECT_EQ(graph.vertices, 4);
    EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(graph.lengths, (Lengths{803, 158, 7}));
    EXPECT_EQ(graph.report.repeated_edges, 3);
  }
}

TEST(GraphReport, CountsPairsOfTwoLengthsAndGivesTheRangeOfLengths) {
  const WrittenFiles files;
  const std::string path = files.write("g.txt", "1 2 5\n2 3 0.25\n3 1 2\n2 1 7\n1 2 9\n1 3 2\n3 3 99\n");
  const WholeGraph graph = whole(read_graph(world(), {.path = path}));
  EXPECT_EQ(graph.lengths, (std::vector<double>{5, 2, 0.25}));
  EXPECT_EQ(graph.report.repeated_edges, 3);
  EXPECT_EQ(graph.report.different_lengths, 1);  // 1 - 2 has three, 1 - 3 the same length twice
  EXPECT_EQ(graph.report.edges, 3);
  EXPECT_EQ(graph.report.shortest, 0.25);
  EXPECT_EQ(graph.report.longest, 5);
  const WholeGraph unweighted = whole(read_graph(world(), {.path = path, .weighted = false}));
  EXPECT_EQ(unweighted.report.different_lengths, 0);
  EXPECT_EQ(unweighted.report.edges, 3);
}

TEST(Dimacs, TreeWidthFilesAreRead) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph({.path = files.write("g.gr.gz", gzipped("c\np tw 5 3\n1 2\n2 3\n5 1\n"))});
  EXPECT_EQ(graph.vertices, 5);
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {0, 4}, {1, 2}}));
  EXPECT_EQ(graph.report.components, 2);
}

TEST(MatrixMarket, PatternsAndNumbersAreRead) {
  const WrittenFiles files;
  const auto read = [&](const std::string& text) { return read_whole_graph({.path = files.write("g.mtx", text)}); };
  const WholeGraph pattern =
      read("%%MatrixMarket matrix coordinate pattern symmetric\n% by hand\n3 3 3\n2 1\n3 2\n3 3\n");
  EXPECT_EQ(pattern.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(pattern.report.self_loops, 1);
  EXPECT_TRUE(pattern.lengths.empty());
  const WholeGraph real = read("%%matrixmarket Matrix Coordinate REAL general\n3 3 3\n1 2 1.5\n2 1 1.25\n3 1 2e1\n");
  EXPECT_EQ(real.edges, (Edges{{0, 1}, {0, 2}}));
  EXPECT_EQ(real.lengths, (Lengths{1.25, 20}));
  const WholeGraph integer = read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 9\n");
  EXPECT_EQ(integer.lengths, (Lengths{9}));
}

TEST(Hdf5, CompressedRowsAreRead) {
  const WrittenFiles files;
  const Numbers starts{0, 2, 4, 6, 7};
  const Numbers neighbors{1, 2, 0, 2, 0, 1, 3};  // a loop of vertex 3 among them
  const Lengths lengths{1, 2, 1, 4, 2, 3, 5};
  const WholeGraph graph = read_whole_graph({.path = write_hdf5_graph(files, "g.h5", starts, neighbors, lengths)});
  EXPECT_EQ(graph.vertices, 4);
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(graph.lengths, (Lengths{1, 2, 3}));
  EXPECT_EQ(graph.report.self_loops, 1);
  EXPECT_EQ(graph.report.repeated_edges, 3);
  EXPECT_EQ(graph.report.first_id, 0);
  const std::string path = write_hdf5_graph(files, "g.hdf5", starts, neighbors, {});
  EXPECT_TRUE(read_whole_graph({.path = path}).lengths.empty());
}

TEST(RepeatedEdges, KeepTheShortestLengthAndAreCountedOnce) {
  const WrittenFiles files;
  const WholeGraph graph = read_whole_graph(
      {.path = files.write("g.cedge", "0 0 1 3\n1 1 0 2\n2 0 1 5\n3 1 1 4\n4 1 2 1\n5 2 2 1\n"), .format = "cedge"});
  EXPECT_EQ(graph.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(graph.lengths, (Lengths{2, 1}));
  EXPECT_EQ(graph.report.repeated_edges, 2);
  EXPECT_EQ(graph.report.self_loops, 2);
}

TEST(Graphs, MayHaveOneVertexAndNoEdge) {
  const WrittenFiles files;
  const WholeGraph header = read_whole_graph({.path = files.write("g.gr", "p sp 1 0\n")});
  EXPECT_EQ(header.vertices, 1);
  EXPECT_TRUE(header.edges.empty());
  const WholeGraph loop = read_whole_graph({.path = files.write("g.txt", "3 3\n")});
  EXPECT_EQ(loop.vertices, 1);
  EXPECT_EQ(loop.report.self_loops, 1);
  EXPECT_EQ(loop.report.first_id, 3);
}

// Several blocks of text, so that every rank reads some; a map by hand is the reference.
TEST(Graphs, AreTheSameHoweverTheirLinesAreDealt) {
  const WrittenFiles files;
  constexpr unsigned seed = 20;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  constexpr Index vertices = 5000;
  constexpr Index lines = 300000;
  std::mt19937_64 engine(seed);
  std::map<std::pair<Index, Index>, double> shortest;
  Index loops = 0;
  std::string text = fmt::format("p sp {} {}\n", vertices, lines);
  for (Index k = 0; k < lines; ++k) {
    const auto u = static_cast<Index>(engine() % vertices);
    const auto v = static_cast<Index>((static_cast<std::uint64_t>(u) + engine() % 40) % vertices);
    const double length = 1.0 + static_cast<double>(engine() % 1000);
    text += fmt::format("a {} {} {}\n", u + 1, v + 1, length);
    if (u == v) {
      ++loops;
      continue;
    }
    const auto [place, is_new] = shortest.try_emplace(std::minmax(u, v), length);
    if (!is_new) place->second = std::min(place->second, length);
  }
  for (const auto& [name, bytes] : {std::pair{"g.gr", text}, std::pair{"g.gr.xz", xz_compressed(text)}}) {
    const WholeGraph graph = read_whole_graph({.path = files.write(name, bytes)});
    Edges edges;
    Lengths lengths;
    for (const auto& [edge, length] : shortest) {
      edges.push_back(edge);
      lengths.push_back(length);
    }
    EXPECT_EQ(graph.vertices, vertices);
    EXPECT_TRUE(graph.edges == edges);
    EXPECT_TRUE(graph.lengths == lengths);
    EXPECT_EQ(graph.report.self_loops, loops);
    EXPECT_EQ(graph.report.repeated_edges, lines - loops - static_cast<Index>(edges.size()));
  }
}

TEST(Graphs, OfMoreThanTwoToThe31VerticesAreNotShared) {
  const RowPartition partition((Index{1} << 31) + 5, 1 << 20);  // a small part of it: nothing large is held
  const Range own = partition.range(world().rank());
  const Graph graph(partition, world().rank(), std::vector<Index>(static_cast<std::size_t>(own.size()) + 1, 0), {}, {});
  expect_error([&] { (void)graph.share(world()); }, ErrorKind::resource, {"2147483653 vertices", "2^31"});
}

TEST(Graphs, AreSetsOfNumberedObjects) {
  const WrittenFiles files;
  const Graph graph = read_graph(world(), {.path = files.write("g.txt", "0 1\n1 2\n")});
  EXPECT_EQ(graph.block(graph.range())->size(), graph.range().size());
  EXPECT_EQ(graph.gather(world(), Numbers{2, 0, 2})->ids, (Numbers{2, 0, 2}));
  EXPECT_EQ(graph.unpack({1, 3}, graph.pack({1, 3}))->ids, (Numbers{1, 2}));
}

}  // namespace
}  // namespace cairn::test::graph_test
