// Graphs that cannot be read: one message that says where, the same on every rank.
#include <fmt/format.h>

#include <cmath>

#include "whole_graph.hpp"

namespace cairn::test::graph_errors_test {
namespace {

void expect_file_refused(const std::string& name, const std::string& text, std::initializer_list<const char*> parts) {
  const WrittenFiles files;
  expect_graph_refused({.path = files.write(name, text)}, parts);
}

TEST(BadGraph, ComesFromOnePlace) {
  const WrittenFiles files;
  const std::string path = files.write("g.txt", "0 1\n");
  expect_graph_refused({}, {"one of parameter path and parameter generate"}, ErrorKind::usage);
  expect_graph_refused({.path = path, .generator = "grid", .points = 4}, {"one of parameter path"}, ErrorKind::usage);
  expect_graph_refused({.path = files.path("missing.gr")}, {"missing.gr", "No such file"});
}

TEST(BadGraph, FormatIsAskedForWhereTheNameDoesNotTell) {
  const WrittenFiles files;
  const std::string path = files.write("graph", "0 1\n");
  expect_graph_refused({.path = path}, {"the name does not tell the format"}, ErrorKind::usage);
  expect_graph_refused({.path = path, .format = "excel"}, {"'excel' is not known"}, ErrorKind::usage);
  EXPECT_EQ(read_whole_graph({.path = path, .format = "edges"}).vertices, 2);
}

TEST(BadGraph, IsEmpty) {
  for (const std::string name : {"g.txt", "g.gr", "g.mtx", "g.cedge"}) {
    expect_file_refused(name, "", {name.c_str(), "is empty"});
    expect_file_refused(name, "\n \n", {name.c_str(), "has no edges"});
    expect_file_refused(name + ".gz", gzipped(""), {"is empty"});
  }
  expect_file_refused("g.txt", "# only\n% comments\n", {"g.txt: has no edges"});
}

TEST(BadGraph, IsCutShort) {
  const std::string packed = xz_compressed("p tw 3 2\n1 2\n2 3\n");
  expect_file_refused("g.gr.xz", packed.substr(0, packed.size() / 2), {"g.gr.xz", "truncated"});
}

TEST(BadVertex, IsOutsideTheRangeOfTheHeader) {
  expect_file_refused("g.gr", "c\np tw 3 2\n1 2\n2 4\n", {"g.gr:4: vertex 4 is outside 1 to 3"});
  expect_file_refused("g.gr", "p sp 3 2\na 1 2 1\na 0 1 1\n", {"g.gr:3: vertex 0 is outside 1 to 3"});
  expect_file_refused("g.gr", "p sp 3 1\na -1 2 1\n", {"g.gr:2: vertex -1 is outside 1 to 3"});
  expect_file_refused("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 9\n",
                      {"g.mtx:4: vertex 9 is outside 1 to 3"});
}

TEST(BadVertex, IsNoNumber) {
  expect_file_refused("g.txt", "0 1\n1 x\n", {"g.txt:2: 'x' is not the number of a vertex"});
  expect_file_refused("g.txt", "0 1\n1 2.5\n", {"g.txt:2: '2.5' is not the number of a vertex"});
  expect_file_refused("g.txt", "0 1\n1 -2\n", {"g.txt:2: vertex -2 is outside 0 to 2^62"});
  expect_file_refused("g.txt", "0 1\n1 9223372036854775807\n", {"g.txt:2: vertex 9223372036854775807 is outside"});
  expect_file_refused("g.txt", "0 1\n1 9223372036854775808\n", {"g.txt:2: '9223372036854775808' is not the number"});
  expect_file_refused("g.cedge", "0 0 1 2\n1 one 2 2\n", {"g.cedge:2: 'one' is not the number of a vertex"});
}

TEST(BadLength, NamesTheLine) {
  for (const std::string length : {"0", "-1", "-0.0"}) {
    expect_file_refused("g.txt", "0 1 2\n1 2 " + length + "\n", {"g.txt:2: the length ", "is not positive"});
  }
  for (const std::string length : {"nan", "inf", "1e999"}) {
    expect_file_refused("g.txt", "0 1 2\n1 2 " + length + "\n", {"g.txt:2: ", length.c_str(), "not a finite number"});
  }
  expect_file_refused("g.txt", "0 1 2\n1 2 far\n", {"g.txt:2: 'far' is not a number"});
  expect_file_refused("g.gr", "p sp 3 1\na 1 2 0\n", {"g.gr:2: the length 0 is not positive"});
  const WrittenFiles files;
  EXPECT_EQ(read_whole_graph({.path = files.write("g.txt", "0 1 -2\n"), .weighted = false}).vertices, 2);
}

TEST(BadLine, HasOtherFields) {
  expect_file_refused("g.csv", "0,1,2\n1,,2\n", {"g.csv:2: '1,,2' is there instead of `u v length`"});
  expect_file_refused("g.csv", "0,1\n1,2,\n", {"g.csv:2: '1,2,' is there instead of `u v`"});
  expect_file_refused("g.csv", "0,1\nb,c\n", {"g.csv:2: 'b' is not the number of a vertex (names of vertices are"});
  expect_file_refused("g.csv", "a,b\nb,c,1\n", {"g.csv:2: 'b,c,1' is there instead of `u v`"});
  expect_file_refused("g.csv", "a,b\nb,\n", {"g.csv:2: 'b,' is there instead of `u v`"});
  expect_file_refused("g.csv", "a,b,1\nb,c,0\n", {"g.csv:2: the length 0 is not positive"});
  expect_file_refused("g.csv", "a,b,1\nb,\"c,2\n", {"g.csv:2: "});
  expect_file_refused("g.csv", "from,to\n0,1\nfrom,to\n", {"g.csv:3: 'from' is not the number"});
  expect_file_refused("g.txt", "0 1\n1\n", {"g.txt:2: '1' is there instead of `u v`"});
  expect_file_refused("g.txt", "0 1\n1 2 3\n", {"g.txt:2: '1 2 3' is there instead of `u v`"});
  expect_file_refused("g.txt", "0 1 1\n1 2\n", {"g.txt:2: '1 2' is there instead of `u v length`"});
  expect_file_refused("g.txt", "0 1 1 1\n", {"g.txt:1: ", "`u v length`"});
  expect_file_refused("g.cedge", "0 0 1\n", {"g.cedge:1: '0 0 1' is there instead of `id u v length`"});
  expect_file_refused("g.gr", "p sp 3 1\n1 2 1\n", {"g.gr:2: '1 2 1' is there instead of `a u v length`"});
  expect_file_refused("g.gr", "p tw 3 1\na 1 2 1\n", {"g.gr:2: 'a 1 2 1' is there instead of `u v`"});
  expect_file_refused("g.gr", "p tw 3 1\np tw 3 1\n", {"g.gr:2: 'p tw 3 1' is there instead of `u v`"});
}

TEST(BadHeader, IsQuoted) {
  expect_file_refused("g.gr", "1 2\n", {"g.gr: '1 2' is there instead of the header `p sp n m` or `p tw n m`"});
  expect_file_refused("g.gr", "p max 3 1\n1 2\n", {"'p max 3 1' is there instead of the header"});
  expect_file_refused("g.gr", "p sp three 1\na 1 2 1\n", {"'p sp three 1' is no header"});
  expect_file_refused("g.gr", "p sp 0 0\n", {"'p sp 0 0' is no header"});
  expect_file_refused("g.gr", "p sp -3 1\n", {"'p sp -3 1' is no header"});
  const auto mtx = [](const std::string& text, std::initializer_list<const char*> parts) {
    expect_file_refused("g.mtx", text, parts);
  };
  mtx("3 3 1\n2 1\n", {"g.mtx: '3 3 1' is there instead of `%%MatrixMarket"});
  mtx("%%MatrixMarket matrix array real general\n3 3\n", {"is there instead of `%%MatrixMarket"});
  mtx("%%MatrixMarket matrix coordinate complex general\n3 3 1\n2 1 1 0\n", {"kind 'complex'"});
  mtx("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 1 1\n", {"skew-symmetric"});
  mtx("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n2 1\n", {"3 rows and 4 columns"});
  mtx("%%MatrixMarket matrix coordinate pattern general\n3 3\n2 1\n", {"'3 3' is there instead of rows, columns"});
}

TEST(BadHeader, StandsBehindAMebibyteOfComments) {
  std::string comments;
  while (comments.size() < 1000000) comments += "c a comment of twenty\n";
  const WrittenFiles files;
  EXPECT_EQ(read_whole_graph({.path = files.write("g.gr", comments + "p tw 2 1\n1 2\n")}).vertices, 2);
  expect_graph_refused({.path = files.write("g.gr", comments + comments + "p tw 2 1\n1 2\n")},
                       {"g.gr: its header is behind 1 MiB of comments"});
}

TEST(BadCounts, AreCompared) {
  expect_file_refused("g.gr", "p tw 3 3\n1 2\n2 3\n", {"g.gr: its header counts 3 edges, but there are 2"});
  expect_file_refused("g.gr", "p tw 3 1\n1 2\n2 3\n", {"g.gr: its header counts 1 edges, but there are 2"});
  expect_file_refused("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n", {"counts 1 edges", "0"});
  expect_file_refused("g.gr", "p tw 99999999999999 1\n1 2\n", {"counts 99999999999999 vertices, but 1 edges reach 2"});
  expect_file_refused("g.gr", "p tw 2000000000 1\n1 2\n", {"counts 2000000000 vertices, but 1 edges reach 2"});
  expect_file_refused("g.txt", "1 1\n4000000000000 4000000000000\n", {"has only loops, of vertices from 1 to"});
}

TEST(BadHdf5, NamesTheDataSet) {
  const WrittenFiles files;
  const auto refused = [&](const std::vector<Index>& starts, const std::vector<Index>& neighbors,
                           const std::vector<double>& lengths, std::initializer_list<const char*> parts) {
    expect_graph_refused({.path = write_hdf5_graph(files, "g.h5", starts, neighbors, lengths)}, parts);
  };
  refused({0, 1, 2}, {1, 2}, {}, {"g.h5: data set 'neighbours': entry 1 is vertex 2, outside 0 to 1"});
  refused({0, 1, 2}, {1, -1}, {}, {"entry 1 is vertex -1, outside 0 to 1"});
  refused({0, 2, 1, 2}, {1, 2}, {}, {"data set 'starts': entry 2 is 1; they must ascend"});
  refused({0, 1, 3}, {1, 0}, {}, {"data set 'starts': entry 2 is 3"});
  refused({0, 1, 1}, {1, 0}, {}, {"entry 2 is 1; the first must be 0, the last the number of neighbors, 2"});
  refused({1, 1, 2}, {1, 0}, {}, {"entry 0 is 1; the first must be 0"});
  refused({0}, {}, {}, {"data set 'starts': must have one entry more"});
  refused({0, 1, 2}, {1, 0}, {1}, {"data set 'lengths': must have one entry a neighbor"});
  refused({0, 1, 2}, {1, 0}, {1, 0}, {"data set 'lengths': entry 1 is 0; lengths must be positive"});
  refused({0, 1, 2}, {1, 0}, {std::nan(""), 1}, {"data set 'lengths': entry 0 is nan"});
  expect_graph_refused({.path = files.write("g.h5", "no HDF5")}, {"g.h5", "no readable HDF5 file"});
  EXPECT_EQ(read_whole_graph({.path = write_hdf5_graph(files, "g.h5", {0, 1, 2}, {1, 0}, {1, 0}), .weighted = false})
                .edges.size(),
            1U);
}

// The first bad line of the file is named, whichever rank reads it.
TEST(BadLine, IsTheFirstOfTheFile) {
  const WrittenFiles files;
  std::string text;
  constexpr int lines = 400000;
  for (int k = 1; k <= lines; ++k) {
    text += k == 250001 || k == 390000 ? std::string("7 seven\n") : fmt::format("{} {}\n", k, k + 1);
  }
  expect_graph_refused({.path = files.write("g.txt", text)}, {"g.txt:250001: 'seven' is not the number"});
  expect_graph_refused({.path = files.write("g.txt.gz", gzipped(text))},
                       {"g.txt.gz:250001: 'seven' is not the number"});
}

}  // namespace
}  // namespace cairn::test::graph_errors_test
