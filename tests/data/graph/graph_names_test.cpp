// Graphs whose vertices have names in place of numbers.
#include <fmt/format.h>

#include <random>
#include <set>
#include <unordered_map>

#include "../whole_graph.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/graph/vertex_list.hpp"

namespace cairn::test::graph_names_test {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;
using Names = std::vector<std::string>;

// Of all ranks.
Names labels_of(const Graph& graph) {
  std::string joined;
  for (const std::string& label : graph.labels()) joined += label + '\n';
  const std::vector<char> all = world().all_gather(std::span<const char>(joined));
  Names labels;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find(begin, all.end(), '\n');
    labels.emplace_back(begin, end);
    begin = end + 1;
  }
  return labels;
}

TEST(NamedVertices, AreNumberedAsTheFileNamesThemFirst) {
  const WrittenFiles files;
  for (const std::string text : {"Zug,Bern,120\nBern,\"St. Gallen, SG\",200.5\nBern,Zug,99\n",
                                 "from,to,km\nZug, Bern ,120\nBern,\"St. Gallen, SG\",200.5\nBern,Zug,99\n",
                                 "# rail\nZug\tBern\t120\nBern\tSt. Gallen, SG\t200.5\nBern\tZug\t99\n",
                                 "Zug Bern 120\r\nBern \"St. Gallen, SG\" 200.5\r\nBern Zug 99\r\n"}) {
    const Graph graph = read_graph(world(), {.path = files.write("g.csv", text)});
    EXPECT_EQ(labels_of(graph), (Names{"Zug", "Bern", "St. Gallen, SG"})) << text;
    const WholeGraph all = whole(graph);
    EXPECT_EQ(all.edges, (Edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(all.lengths, (std::vector<double>{99, 200.5}));
    EXPECT_TRUE(all.report.named);
    EXPECT_FALSE(all.report.renumbered);
    EXPECT_EQ(all.report.repeated_edges, 1);
    EXPECT_EQ(all.report.header, text.starts_with("from") ? "from,to,km" : "");
  }
  const Graph graph = read_graph(world(), {.path = files.write("g.txt", "Source Target\nbé a1\na1 2\n")});
  EXPECT_EQ(labels_of(graph), (Names{"bé", "a1", "2"}));
  EXPECT_FALSE(graph.weighted());
}

// What begins as comments do, or looks like a header.
TEST(NamedVertices, MayBeginLikeComments) {
  const WrittenFiles files;
  const auto edges = [&](const char* text) {
    const Graph graph = read_graph(world(), {.path = files.write("g.csv", text)});
    return whole(graph).edges.size();
  };
  EXPECT_EQ(edges("#tags\nmaga,trump\n#usa,trump\n# far\n#usa,maga\n%x,maga\n"), 4U);
  EXPECT_EQ(edges("192.168.0.1,192.168.0.2\n192.168.0.2,12-345\n"), 2U);
  EXPECT_EQ(edges("\"Doe, John\" \"Roe, Jane\"\n\"Roe, Jane\" x\n"), 2U);
  expect_graph_refused({.path = files.write("g.csv", "u,v\nv,w\nw,x\n")},
                       {"g.csv: the first line, 'u,v', may be a header"});
  expect_graph_refused({.path = files.write("g.csv", "a,b,NA\nb,c,1\n")},
                       {"'a,b,NA', may be a header or an edge", "'b'"});
  expect_graph_refused({.path = files.write("g.csv", std::string("a,b\nb,c\0x\n", 10))}, {"g.csv:2: "});
  expect_graph_refused({.path = files.write("g.csv", "a,b\nb, \"c\"\n")},
                       {"g.csv:2: a blank is in front of the quote"});
}

// Numbers that are written wrongly are no names.
TEST(NamedVertices, AreNoNumbers) {
  const WrittenFiles files;
  for (const char* text : {"1.5 2\n", "-1 2\n", "1e3 7\n", "nan 1\n"}) {
    expect_graph_refused({.path = files.write("g.txt", text)}, {"g.txt:1: "});
  }
  EXPECT_TRUE(read_graph(world(), {.path = files.write("g.txt", "10 2\n")}).labels().empty());
}

// Several blocks of the file, whose names meet on other ranks: against a loop over its lines.
TEST(NamedVertices, AreTheSameOnAnyNumberOfRanks) {
  constexpr int lines = 40'000, most = 9'000;
  const unsigned seed = 20;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  std::string text;
  Names names;
  std::unordered_map<std::string, Index> numbers;
  std::set<std::pair<Index, Index>> edges;
  for (int line = 0; line < lines; ++line) {
    Index ends[2];
    for (Index& end : ends) {
      const std::string name =
          fmt::format("the crossing that is called {:x} on the map", random() % most * 2654435761U);
      end = numbers.try_emplace(name, std::ssize(names)).first->second;
      if (end == std::ssize(names)) names.push_back(name);
      text += name + (&end == ends ? "\t" : "\n");
    }
    if (ends[0] != ends[1]) edges.insert(std::minmax(ends[0], ends[1]));
  }
  ASSERT_GT(text.size(), std::size_t{3} << 20U);
  const WrittenFiles files;
  const Graph graph = read_graph(world(), {.path = files.write("g.tsv", text)});
  EXPECT_EQ(labels_of(graph), names);
  EXPECT_EQ(whole(graph).edges, Edges(edges.begin(), edges.end()));
}

TEST(NamedVertices, KeepTheirNamesInTheLargestComponent) {
  const WrittenFiles files;
  const Graph graph =
      read_graph(world(), {.path = files.write("g.csv", "x,y\na,b\nb,c\nc,d\nz,x\n"), .largest_component = true});
  EXPECT_EQ(labels_of(graph), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(whole(graph).edges, (Edges{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(graph.report().dropped_vertices, 3);
}

TEST(NamedVertices, AreListedAndPlacedByTheirNames) {
  const WrittenFiles files;
  const Graph graph = read_graph(world(), {.path = files.write("g.csv", "New York,Bern\nBern,Oslo\n")});
  const NumbersInFile numbers = numbers_of(world(), graph);
  const VertexList list = read_vertex_list(world(), files.write("l.txt", "Oslo\n\n# far\n\"New York\"\nOslo\n"),
                                           numbers, graph.partition());
  EXPECT_EQ(list.vertices, (std::vector<Index>{2, 0, 2}));
  EXPECT_EQ(list.all_numbers(), (std::vector<Index>{2, 0, 2}));
  expect_error(
      [&] { (void)read_vertex_list(world(), files.write("l.txt", "Oslo\nRom\n"), numbers, graph.partition()); },
      ErrorKind::input, {"l.txt:2: the graph has no vertex 'Rom'"});
  const auto place = [&](const std::string& text) {
    return read_positions(world(), files.write("p.csv", text), graph.partition(), numbers);
  };
  const RowBlock<double> positions =
      place("id,x,y\nOslo,10.75,59.9\nRom,12.5,41.9\nBern,7.45,46.9\nNew York,-74,40.7\n");
  const double expected[] = {-74, 7.45, 10.75};
  for (Index v = graph.range().begin; v < graph.range().end; ++v) EXPECT_EQ(positions.row(v)[0], expected[v]);
  expect_error([&] { (void)place("id,x,y\nOslo,1,2\nBern,7.45,46.9\nOslo,1,2\nNew York,-74,40.7\n"); },
               ErrorKind::input, {"vertex Oslo is a duplicate"});
  expect_error([&] { (void)place("id,x,y\nOslo,10.75,59.9\nNew York,-74,40.7\n"); }, ErrorKind::input,
               {"has no position for vertex Bern"});
}

}  // namespace
}  // namespace cairn::test::graph_names_test
