// Points from text: CSV and LIBSVM, plain and compressed, whatever the number of ranks.
#include <fmt/format.h>

#include <fstream>
#include <random>

#include "written_files.hpp"

namespace cairn::test::text_points_test {
namespace {

using Labels = std::vector<std::string>;

TEST(Csv, ReadsNumbersWithoutHeader) {
  const WrittenFiles files;
  const auto points = read_whole({.path = files.write("p.csv", "1,2.5,-3e2\n+4, 5 ,.5\n")});
  EXPECT_EQ(points.dimension, 3);
  EXPECT_EQ(points.values, (std::vector<double>{1, 2.5, -300, 4, 5, 0.5}));
  EXPECT_TRUE(points.labels.empty());
}

TEST(Csv, TakesTheLabelColumnByNameOrNumber) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "a,class,b\n1,x,2\n3,\"y, z\",4\n5,\"say \"\"w\"\"\",6\n");
  for (const char* label : {"class", "2"}) {
    const auto points = read_whole({.path = path, .label = label});
    EXPECT_EQ(points.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(points.labels, (Labels{"x", "y, z", "say \"w\""}));
  }
}

TEST(Csv, TakesATextColumnForLabelsWhereThereIsNoHeader) {
  const WrittenFiles files;
  const auto points = read_whole({.path = files.write("p.csv", "A,1,2\nB,3,4\n"), .label = "1"});
  EXPECT_EQ(points.values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(points.labels, (Labels{"A", "B"}));
}

TEST(Csv, ANameOfAColumnGoesBeforeItsNumber) {
  const WrittenFiles files;
  const auto points =
      read_whole({.path = files.write("p.csv", "name,other,2\n5,6,7\n"), .label = "2", .columns = {"name", "other"}});
  EXPECT_EQ(points.values, (std::vector<double>{5, 6}));
  EXPECT_EQ(points.labels, (Labels{"7"}));
}

TEST(Csv, FindsItsSeparator) {
  const WrittenFiles files;
  for (const std::string text : {"1,2,3\n4,5,6\n", "1;2;3\n4;5;6\n", "1\t2\t3\n4\t5\t6\n", "1 2 3\n4 5 6\n",
                                 "  1  2   3 \n4 5   6\n", "x;y;z\n1;2;3\n4;5;6\n"}) {
    const auto points = read_whole({.path = files.write("p.txt", text)});
    EXPECT_EQ(points.values, (std::vector<double>{1, 2, 3, 4, 5, 6})) << text;
  }
}

TEST(Csv, PassesOverBlankLinesCarriageReturnsAndAByteOrderMark) {
  const WrittenFiles files;
  const auto points = read_whole({.path = files.write("p.csv", "\xEF\xBB\xBF\r\n1,2\r\n\r\n   \r\n3,4\r\n5,6")});
  EXPECT_EQ(points.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Csv, AFirstLineWithNanIsDataAndNoHeader) {
  const WrittenFiles files;
  expect_refused({.path = files.write("p.csv", "1,nan\n3,4\n")}, {"p.csv:1: column 2", "not a finite number"});
}

TEST(Csv, ReadsOnePointOnAnyNumberOfRanks) {
  const WrittenFiles files;
  EXPECT_EQ(read_whole({.path = files.write("p.csv", "7")}).values, (std::vector<double>{7}));
}

// Lines of every length, some 5 MB of them: they cross the borders of blocks and of ranks everywhere.
struct LongFile {
  static constexpr Index rows = 90000;
  static constexpr Index columns = 4;
  static double value(Index i, Index j) { return static_cast<double>(i * (i % 7 == 0 ? 1000003 : 1) + j) / 8.0; }

  std::string text = "first,second,third,fourth,\"the label\"\n";
  LongFile() {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) text += fmt::format("{},", value(i, j));
      text += fmt::format("{}\n", std::string(static_cast<std::size_t>(i % 23), 'x'));
      if (i % 1000 == 999) text += '\n';
    }
  }
};

void expect_long_file(const WholePoints<double>& points) {
  std::vector<double> expected;
  Labels labels;
  for (Index i = 0; i < LongFile::rows; ++i) {
    for (Index j = 0; j < LongFile::columns; ++j) expected.push_back(LongFile::value(i, j));
    labels.emplace_back(static_cast<std::size_t>(i % 23), 'x');
  }
  EXPECT_TRUE(points.values == expected);
  EXPECT_TRUE(points.labels == labels);
}

TEST(Csv, AFileOfManyBlocksIsReadInOrderPlainAndCompressed) {
  const WrittenFiles files;
  const LongFile file;
  expect_long_file(read_whole({.path = files.write("p.csv", file.text), .label = "the label"}));
  expect_long_file(read_whole({.path = files.write("p.csv.gz", gzipped(file.text)), .label = "the label"}));
  expect_long_file(read_whole({.path = files.write("p.csv.xz", xz_compressed(file.text)), .label = "5"}));
}

TEST(Csv, AFileThatWasCompressedInPartsIsReadWhole) {
  const WrittenFiles files;
  const LongFile file;
  const std::string first = file.text.substr(0, 1000), rest = file.text.substr(1000);
  expect_long_file(read_whole({.path = files.write("p.csv.gz", gzipped(first) + gzipped(rest)), .label = "5"}));
  const std::string parts = xz_compressed(first) + xz_compressed(rest);
  expect_long_file(read_whole({.path = files.write("p.csv.xz", parts), .label = "5"}));
}

// Bytes that this process has read from files; -1 where the system does not tell.
Index bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  Index bytes = -1;
  return counts >> name >> bytes && name == "rchar:" ? bytes : -1;
}

TEST(Csv, OneRankOfANodeUnpacksACompressedFile) {
  const WrittenFiles files;
  std::string text;
  std::minstd_rand random(7);
  for (Index i = 0; i < 500000; ++i) text += fmt::format("{},{}\n", random(), random());
  const std::string packed = gzipped(text), path = files.write("p.csv.gz", packed);
  const Index before = bytes_read();
  (void)read_points<double>(world(), {.path = path});
  const Index read = bytes_read() - before;
  if (before < 0) GTEST_SKIP() << "this system does not count what a process reads; Linux with /proc/self/io runs it";
  if (world().node().is_root()) {
    EXPECT_GE(read, std::ssize(packed));
  } else {
    EXPECT_LT(read, std::ssize(packed) / 2) << packed.size();
  }
}

TEST(Csv, AFileThatIsDamagedBehindABadLineIsRefusedOnAllRanks) {
  const WrittenFiles files;
  const LongFile file;
  for (const std::size_t at : {std::size_t{100}, file.text.size() / 3, file.text.size() / 2}) {
    std::string text = file.text;
    text[text.find('\n', at) + 1] = '?';
    std::string packed = gzipped(text);
    packed[packed.size() * 9 / 10] = static_cast<char>(packed[packed.size() * 9 / 10] ^ 0x55);
    expect_refused({.path = files.write("p.csv.gz", packed), .label = "5"}, {"p.csv.gz"});
    expect_refused({.path = files.write("p.csv.gz", packed.substr(0, packed.size() * 9 / 10)), .label = "5"},
                   {"p.csv.gz", "truncated"});
  }
}

TEST(Csv, TheFirstOfManyErrorsIsNamedWithItsLineInTheFile) {
  const WrittenFiles files;
  LongFile file;
  const auto damage = [&](Index line) {
    std::size_t at = 0;
    for (Index k = 1; k < line; ++k) at = file.text.find('\n', at) + 1;
    file.text[at] = '?';
  };
  for (const Index line : {88001, 60777, 31234}) damage(line);
  expect_refused({.path = files.write("p.csv", file.text), .label = "5"}, {"p.csv:31234: column 1 (first): '?"});
  expect_refused({.path = files.write("p.csv.gz", gzipped(file.text)), .label = "5"}, {"p.csv.gz:31234: column 1"});
}

TEST(Csv, ALineMayBeLongerThanABlock) {
  const WrittenFiles files;
  std::string line;
  for (Index j = 0; j < 400000; ++j) line += fmt::format("{}{}", j == 0 ? "" : ",", j % 10 + 10000);
  const std::string text = line + "\n" + line + "\n" + line + "\n";  // 2.4 MB each
  for (const auto& path : {files.write("p.csv", text), files.write("p.csv.xz", xz_compressed(text))}) {
    const auto points = read_whole({.path = path});
    ASSERT_EQ(points.dimension, 400000);
    ASSERT_EQ(points.values.size(), 1200000U);
    for (const Index j : {0, 123457, 399999}) EXPECT_EQ(points(2, j), static_cast<double>(j % 10 + 10000));
  }
}

TEST(Svm, ReadsSparseLinesIntoDensePoints) {
  const WrittenFiles files;
  const std::string path = files.write("p.svm", "+1 1:0.5 3:-2 # a remark\n\n# only a remark\n-1\n+1 2:1e3\n");
  const auto points = read_whole({.path = path, .label = "first"});
  EXPECT_EQ(points.dimension, 3);
  EXPECT_EQ(points.values, (std::vector<double>{0.5, 0, -2, 0, 0, 0, 0, 1000, 0}));
  EXPECT_EQ(points.labels, (Labels{"+1", "-1", "+1"}));
}

TEST(Svm, MayBeGivenMoreCoordinatesThanItUses) {
  const WrittenFiles files;
  const auto points = read_whole({.path = files.write("p.svm", "1 1:1\n2 2:2\n"), .dimension = 3});
  EXPECT_EQ(points.values, (std::vector<double>{1, 0, 0, 0, 2, 0}));
}

TEST(Svm, AFileOfManyBlocksIsReadInOrder) {
  const WrittenFiles files;
  std::string text;
  std::vector<double> expected;
  for (Index i = 0; i < 60000; ++i) {
    text += fmt::format("{} {}:{} 5:{}\n", i % 3, i % 4 + 1, i, 2 * i + 1);
    std::vector<double> row(5, 0.0);
    row[i % 4] = static_cast<double>(i);
    row[4] = static_cast<double>(2 * i + 1);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  EXPECT_GT(text.size(), std::size_t{1} << 20);
  EXPECT_TRUE(read_whole({.path = files.write("p.svm", text)}).values == expected);
  EXPECT_TRUE(read_whole({.path = files.write("p.svm.xz", xz_compressed(text))}).values == expected);
}

TEST(Text, IsReadInSinglePrecisionToo) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "0.1,1e30\n");
  EXPECT_EQ(read_whole<float>({.path = path}).values, (std::vector<float>{0.1F, 1e30F}));
}

}  // namespace
}  // namespace cairn::test::text_points_test
