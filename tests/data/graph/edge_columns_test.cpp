// Edge lists as other programs write them: headers, more columns, quotes, numbers with leading zeros, directions.
#include "../whole_graph.hpp"
#include "cairn/data/graph/graph_data.hpp"

namespace cairn::test::edge_columns_test {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;
using testing::Contains;
using testing::HasSubstr;

// The same three edges, 1 2 35.5, 2 3 80 and 3 1 7.
TEST(EdgeColumns, AreNamedOrNumbered) {
  const WrittenFiles files;
  struct Case {
    const char *text, *columns, *said;
  };
  for (const Case& one : {
           Case{"u,v,length\n1,2,35.5\n2,3,80\n3,1,7\n", "", "columns 'u' and 'v', lengths in 'length'"},
           Case{"\"u\",\"v\",\"length\"\n\"1\",\"2\",35.5\n\"2\",\"3\",80\n\"3\",\"1\",7\n", "", "lengths in 'length'"},
           Case{"\"1\",\"2\",35.5\n\"2\",\"3\",80\n\"3\",\"1\",7\n", "", ""},
           Case{"u,v,length\n1.0,2.0,35.5\n2.0,3.0,80\n3.0,1.0,7\n", "", "lengths in 'length'"},
           Case{"von;nach;km\n1;2;35.5\n2;3;80\n3;1;7\n", "", "columns 'von' and 'nach', lengths in 'km'"},
           Case{"id,u,v,length\n0,1,2,35.5\n1,2,3,80\n2,3,1,7\n", "u,v,length",
                "'length'; the others of 4 are ignored"},
           Case{"id,u,v,length\n0,1,2,35.5\n1,2,3,80\n2,3,1,7\n", "2,3,4", "'length'; the others of 4 are ignored"},
           Case{"length,from,to\n35.5,1,2\n80,2,3\n7,3,1\n", "from,to,length", "columns 'from' and 'to'"},
           Case{"0 1 2 35.5\n1 2 3 80\n2 3 1 7\n", "2,3,4", "columns 2 and 3, lengths in 4; the others of 4"},
           Case{"name,km,a,b\n\"Main, east\",35.5,1,2\nx,80,2,3\ny,7,3,1\n", "a,b,km",
                "columns 'a' and 'b', lengths in 'km'"},
       }) {
    const WholeGraph all = read_whole_graph({.path = files.write("g.csv", one.text), .columns = one.columns});
    EXPECT_EQ(all.edges, (Edges{{0, 1}, {0, 2}, {1, 2}})) << one.text;
    EXPECT_EQ(all.lengths, (std::vector<double>{35.5, 7, 80})) << one.text;
    EXPECT_EQ(all.report.first_id, 1);
    EXPECT_THAT(all.report.columns, HasSubstr(one.said));
    EXPECT_EQ(all.report.columns.empty(), std::string(one.said).empty()) << one.text;
  }
  const WholeGraph ends = read_whole_graph({.path = files.write("g.csv", "id,u,v\n9,1,2\n8,2,3\n"), .columns = "u,v"});
  EXPECT_EQ(ends.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_TRUE(ends.lengths.empty());
}

TEST(EdgeColumns, AreNotGuessed) {
  const WrittenFiles files;
  for (const char* text : {"osm_id,from,to\n100,1,2\n", "length,from,to\n3,1,2\n", "from,length,to\n1,3,2\n",
                           "id,u,v,length\n0,1,2,1.5\n", "u,v,key,length\n1,2,0,1.5\n"}) {
    expect_graph_refused({.path = files.write("g.csv", text)}, {"g.csv: its header '", "columns = U,V[,LENGTH]"});
  }
  const std::string four = files.write("g.csv", "id,u,v,length\n0,1,2,1.5\n");
  expect_graph_refused({.path = four, .columns = "u,w"}, {"names the column 'w'", "4 columns: id, u, v, length"});
  expect_graph_refused({.path = files.write("t.csv", "u,v,km,km\n0,1,2,1.5\n"), .columns = "u,v,km"},
                       {"t.csv: several columns are called km"});
  expect_graph_refused({.path = files.write("t.csv", "u,v,w\n"), .columns = "u,v"}, {"t.csv: has no edges"});
  EXPECT_EQ(read_graph(world(), {.path = files.write("t.csv", "v,w,length\n1,2,3\n")}).size(), 2);
  expect_graph_refused({.path = four, .columns = "u,5"}, {"names the column '5'"});
  expect_graph_refused({.path = four, .columns = "u"}, {"two columns hold the ends"}, ErrorKind::usage);
  expect_graph_refused({.path = four, .columns = "u,u"}, {"names a column twice"}, ErrorKind::usage);
  expect_graph_refused({.path = files.write("h.csv", "id,u,v\n0,1,2\n1,2\n"), .columns = "u,v"}, {"h.csv:3: "});
  expect_graph_refused({.path = files.write("h.csv", "0,1,2,1.5\n")}, {"h.csv:1: ", "columns chooses columns"});
  expect_graph_refused({.path = files.write("h.csv", "u,v,length\n1.5,2,3\n")}, {"h.csv:2: '1.5' is not the number"});
  expect_graph_refused({.path = files.write("g.gr", "p sp 2 1\na 1 2 1\n"), .columns = "1,2"},
                       {"columns has no effect unless"}, ErrorKind::usage);
  expect_graph_refused({.path = files.write("g.gr", "p sp 2 1\na 1 2 1\n"), .names = "true"},
                       {"names has no effect unless"}, ErrorKind::usage);
}

// Codes such as 0007 are names; a number with zeros below numbers is neither.
TEST(EdgeColumns, HaveNumbersOrNames) {
  const WrittenFiles files;
  const std::string codes = files.write("g.csv", "stop_a,stop_b\n0007,0008\n0008,7\n");
  const Graph graph = read_graph(world(), {.path = codes});
  EXPECT_EQ(graph.size(), 3);
  EXPECT_TRUE(graph.report().named);
  EXPECT_EQ(read_graph(world(), {.path = codes, .names = "false"}).size(), 2);
  const std::string mixed = files.write("g.csv", "7,8\n8,0009\n");
  expect_graph_refused({.path = mixed}, {"g.csv:2: '0009' has leading zeros", "names = true it is a name"});
  EXPECT_EQ(read_graph(world(), {.path = mixed, .names = "false"}).size(), 3);
  EXPECT_EQ(read_graph(world(), {.path = mixed, .names = "true"}).size(), 3);
  const std::string late = files.write("g.csv", "20,21,2\n21,S1,2\n");
  expect_graph_refused({.path = late}, {"g.csv:2: 'S1' is not the number", "names = true"});
  EXPECT_EQ(read_graph(world(), {.path = late, .names = "true"}).size(), 3);
  expect_graph_refused({.path = files.write("g.csv", "a,b\nb,c\n"), .names = "false"}, {"g.csv:1: 'a' is not"});
}

// Commas belong to names between semicolons.
TEST(EdgeColumns, HaveOneSeparator) {
  const WrittenFiles files;
  const Graph graph = read_graph(world(), {.path = files.write("g.csv", "Zug;Bern, Stadt\nBern, Stadt;Chur, West\n")});
  EXPECT_EQ(graph.size(), 3);
  EXPECT_EQ(world().sum(static_cast<Index>(std::ranges::count(graph.labels(), "Bern, Stadt"))), 1);
}

// A header above names is told from an edge by a note, or by the columns that are named.
TEST(EdgeColumns, MayBeAnEdge) {
  const WrittenFiles files;
  const std::string path = files.write("g.csv", "Von,Nach\nBank,Monument\nMonument,Tower\n");
  const WholeGraph guessed = read_whole_graph({.path = path});
  EXPECT_EQ(guessed.report.lone_first, "Von,Nach");
  EXPECT_THAT(notes_of(guessed.report), Contains(HasSubstr("'Von,Nach', is read as an edge")));
  const WholeGraph named = read_whole_graph({.path = path, .columns = "Von,Nach"});
  EXPECT_EQ(named.edges, (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(named.report.lone_first, "");
  EXPECT_EQ(read_whole_graph({.path = files.write("g.csv", "a,b\nb,c\n")}).report.lone_first, "");
}

TEST(EdgeColumns, SayWhereDirectionsAreLost) {
  const WrittenFiles files;
  const auto notes = [&](const char* text) {
    return notes_of(read_graph(world(), {.path = files.write("g.txt", text)}).report());
  };
  const auto one_way = Contains(HasSubstr("2 of 3 edges are in the file in one direction only"));
  EXPECT_THAT(notes("1 2 5\n2 1 5\n2 3 1\n1 3 9\n"), one_way);
  EXPECT_THAT(notes("1 2 5\n2 1 4\n1 2 3\n2 3 1\n2 3 1\n1 3 9\n"), one_way);
  const Graph part =
      read_graph(world(), {.path = files.write("p.txt", "1 2\n2 1\n2 3\n7 8\n"), .largest_component = true});
  EXPECT_THAT(notes_of(part.report()), Contains(HasSubstr("2 of 3 edges are in the file in one direction only")));
  EXPECT_THAT(notes("1 2\n2 3\n1 3\n"), testing::Not(Contains(HasSubstr("direction only"))));
  EXPECT_THAT(notes("1 2\n2 1\n2 3\n3 2\n"), testing::Not(Contains(HasSubstr("direction only"))));
}

}  // namespace
}  // namespace cairn::test::edge_columns_test
