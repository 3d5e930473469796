// Which first line of a CSV file is a header, which columns become coordinates, and what becomes of missing values.
#include <fmt/format.h>

#include <algorithm>

#include "cairn/data/points/column_reader.hpp"
#include "written_files.hpp"

namespace cairn::test::csv_columns_test {
namespace {

using Texts = std::vector<std::string>;
using Values = std::vector<double>;

struct Read {
  WholePoints<double> points;
  PointReport report;
  std::vector<Index> numbers;
};

Read read(const PointSource& source) {
  const PointTable<double> table = read_point_table<double>(world(), source);
  return {whole(table.points), table.report, world().all_gather(table.numbers)};
}

TEST(CsvHeader, AFirstLineOfWhichAFieldIsANumberIsNoHeader) {
  const WrittenFiles files;
  for (const auto& [line, column] : {std::pair("1,NA", "column 2: 'NA'"), std::pair("3,", "column 2: ''"),
                                     std::pair("0x10,2", "column 1: '0x10'"), std::pair("x,2", "column 1: 'x'")}) {
    expect_refused({.path = files.write("p.csv", std::string(line) + "\n5,6\n7,8\n")},
                   {"p.csv:1: ", column, "other fields of this line are numbers, and a header has none"});
  }
}

TEST(CsvHeader, NamesAreReportedAndKept) {
  const WrittenFiles files;
  const Read named = read({.path = files.write("p.csv", "a,class,\" b \"\n1,x,2\n"), .label = "class"});
  EXPECT_TRUE(named.report.text && named.report.header);
  EXPECT_EQ(named.report.columns.names, (Texts{"a", "b"}));
  EXPECT_EQ(named.report.columns.label, "class");
  EXPECT_EQ(named.report.file_columns, 3);
  const Read unnamed = read({.path = files.write("p.csv", "1,x,2\n3,y,4\n"), .label = "2"});
  EXPECT_FALSE(unnamed.report.header);
  EXPECT_TRUE(unnamed.report.columns.names.empty());
  EXPECT_EQ(unnamed.report.columns.label, "2");
  EXPECT_EQ(unnamed.points.values, (Values{1, 2, 3, 4}));
}

TEST(CsvHeader, IsThereIfAColumnIsAskedForByName) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "name,2019,2020\n1,2,3\n4,5,6\n");
  expect_refused({.path = path}, {"p.csv:1: column 1: 'name'"});
  EXPECT_EQ(read({.path = path, .columns = {"2020", "2019"}}).points.values, (Values{3, 2, 6, 5}));
  EXPECT_EQ(read({.path = path, .ignored = {"name"}}).points.values, (Values{2, 3, 5, 6}));
  EXPECT_EQ(read({.path = path, .label = "name"}).points.labels, (Texts{"1", "4"}));
}

TEST(CsvHeader, MayBeMeantByNumbersThatAscend) {
  const WrittenFiles files;
  const auto warned = [&](const std::string& line, PointSource source) {
    source.path = files.write("p.csv", line + "\n5,6,9\n7,8,9\n");
    return std::ranges::any_of(read(source).report.warnings, [](const std::string& warning) {
      return warning.find("p.csv:1: is read as a point") != std::string::npos;
    });
  };
  EXPECT_TRUE(warned("0,1,2", {}));
  EXPECT_TRUE(warned("country,1990,1991", {.ignored = {"1"}}));
  EXPECT_TRUE(warned("country,1990,1991", {.label = "1"}));
  EXPECT_TRUE(warned("country,1990,1991", {.columns = {"2-3"}}));
  EXPECT_FALSE(warned("7,1,2", {.label = "1"}));
  EXPECT_FALSE(warned("x,1,3", {.ignored = {"1"}}));
  EXPECT_FALSE(warned("1,2,4", {}));
}

TEST(CsvHeader, TargetsFollowTheSameRule) {
  const WrittenFiles files;
  const std::string path = files.write("y.csv", "1,NA\n2,3\n");
  const auto values = [](const ColumnTable& table) { return whole(table.rows).values; };
  EXPECT_EQ(values(read_columns(world(), {.path = path, .columns = {"1"}, .key = ""})), (Values{1, 2}));
  expect_error([&] { (void)read_columns(world(), {.path = path, .columns = {"2"}, .key = ""}); }, ErrorKind::input,
               {"y.csv:1: column 2: 'NA'"});
}

TEST(CsvColumns, AreChosenByNameNumberAndRange) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "a,b,c,d,e\n1,2,3,4,5\n6,7,8,9,10\n");
  EXPECT_EQ(read({.path = path, .columns = {"d", "1-2"}}).points.values, (Values{4, 1, 2, 9, 6, 7}));
  EXPECT_EQ(read({.path = path, .columns = {"2-4"}, .ignored = {"c"}}).points.values, (Values{2, 4, 7, 9}));
  const Read rest = read({.path = path, .label = "e", .ignored = {"1", "b"}});
  EXPECT_EQ(rest.points.values, (Values{3, 4, 8, 9}));
  EXPECT_EQ(rest.report.ignored, (Texts{"a", "b"}));
  EXPECT_EQ(rest.report.columns.names, (Texts{"c", "d"}));
  EXPECT_EQ(rest.report.columns.ignored, "1,b");
}

TEST(CsvColumns, ThatDoNotFitAreRefused) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "a,b,b\n1,2,3\n");
  expect_refused({.path = path, .columns = {"x"}}, {"there is no column x (3 columns"});
  expect_refused({.path = path, .ignored = {"4"}}, {"there is no column 4 (3 columns"});
  expect_refused({.path = path, .columns = {"2-4"}}, {"there is no column 2-4"});
  expect_refused({.path = path, .columns = {"3-2"}}, {"there is no column 3-2"});
  expect_refused({.path = path, .columns = {"b"}}, {"several columns are called b"});
  expect_refused({.path = path, .columns = {"a", "1-2"}}, {"column a is named twice"}, ErrorKind::usage);
  expect_refused({.path = path, .label = "a", .columns = {"1"}}, {"column a holds the labels"}, ErrorKind::usage);
  expect_refused({.path = path, .label = "a", .ignored = {"a"}}, {"column a holds the labels"}, ErrorKind::usage);
  expect_refused({.path = path, .ignored = {"1-3"}}, {"has no columns beside those that are ignored"});
}

TEST(CsvColumns, OfOtherFormatsAreChosenByNumberOrRefused) {
  const WrittenFiles files;
  const std::string path = files.write("p.f64", bytes_of(Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read({.path = path, .dimension = 3, .columns = {"3", "1"}}).points.values, (Values{3, 1, 6, 4}));
  EXPECT_EQ(read({.path = path, .dimension = 3, .ignored = {"2"}}).points.values, (Values{1, 3, 4, 6}));
  EXPECT_EQ(peek_point_shape({.path = path, .dimension = 3, .ignored = {"2"}})->dimension, 2);
  expect_refused({.path = path, .dimension = 3, .columns = {"x"}}, {"there is no column x"});
  expect_refused({.path = path, .dimension = 3, .missing = "skip"}, {"parameter missing = skip", "only for csv"},
                 ErrorKind::usage);
  const std::string svm = files.write("p.svm", "1 1:1\n");
  expect_refused({.path = svm, .columns = {"1"}}, {"parameter columns", "is of format svm"}, ErrorKind::usage);
  expect_refused({.path = svm, .ignored = {"1"}}, {"parameter ignore", "is of format svm"}, ErrorKind::usage);
  expect_refused({.path = svm, .columns = {"1"}, .keys = KeyNames("data.")}, {"data.columns: ", "is of format svm"},
                 ErrorKind::usage);
}

Texts warnings(const WrittenFiles& files, const std::string& text, Texts ignored = {}) {
  return read({.path = files.write("p.csv", text), .ignored = std::move(ignored)}).report.warnings;
}

TEST(CsvColumns, ThatNumberTheRowsAreWarnedOf) {
  const WrittenFiles files;
  EXPECT_THAT(warnings(files, ",x\n0,5\n1,6\n"), testing::ElementsAre(testing::HasSubstr("a column without a name")));
  EXPECT_THAT(warnings(files, "Id,x\n7,5\n9,6\n"), testing::ElementsAre(testing::HasSubstr("the column Id is read")));
  EXPECT_THAT(warnings(files, "y1,y2,label\n.5,.1,317\n.2,.3,12\n"),
              testing::ElementsAre(testing::HasSubstr("the column label is read as a coordinate")));
  EXPECT_THAT(warnings(files, "1,5\n2,6\n3,6\n4,8\n5,8\n"),
              testing::ElementsAre(testing::HasSubstr("numbers the rows; parameter ignore leaves it out")));
  EXPECT_THAT(warnings(files, "0,5\n1,6\n2,6\n3,8\n5,8\n"), testing::IsEmpty());
  EXPECT_THAT(warnings(files, ",x\n0,5\n1,6\n", {"1"}), testing::IsEmpty());
}

TEST(CsvMissing, RowsAreRefusedOrSkippedAndKeepTheirNumbers) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "x,y\n1,2\nNA,3\n4,\n5,6\n?,nan\n7,8\n");
  expect_refused({.path = path}, {"p.csv:3: column 1 (x): 'NA'", "parameter missing = skip leaves out rows"});
  const Read skipped = read({.path = path, .missing = "skip"});
  EXPECT_EQ(skipped.points.values, (Values{1, 2, 5, 6, 7, 8}));
  EXPECT_EQ(skipped.numbers, (std::vector<Index>{0, 3, 5}));
  EXPECT_TRUE(skipped.points.labels.empty());
  EXPECT_EQ(skipped.report.skipped, 3);
  EXPECT_EQ(read({.path = path, .columns = {"y"}, .missing = "skip"}).numbers, (std::vector<Index>{0, 1, 3, 5}));
  expect_refused({.path = files.write("p.csv", "x,y\n1,2\n3,inf\n"), .missing = "skip"},
                 {"p.csv:3: column 2 (y): 'inf'"});
  expect_refused({.path = files.write("p.csv", "x,y\n1,\n3,\n"), .missing = "skip"}, {"every row has a missing value"});
  expect_refused({.path = files.write("p.csv", ",NA\n1,2\n")}, {"p.csv:1: column 1: ''"});
}

TEST(CsvMissing, NumbersOfRowsCountOverManyBlocks) {
  const WrittenFiles files;
  constexpr Index rows = 60000;
  std::string text;
  Texts classes;
  std::vector<Index> numbers;
  for (Index i = 0; i < rows; ++i) {
    const bool missing = i % 7 == 3;
    text += fmt::format("{},c{},{}\n", missing ? "NA" : std::to_string(i), i % 5, std::string(40, '1'));
    if (missing) continue;
    numbers.push_back(i);
    classes.push_back(fmt::format("c{}", i % 5));
  }
  const std::string path = files.write("p.csv", text);
  const Read read_back = read({.path = path, .ignored = {"2"}, .missing = "skip"});
  EXPECT_TRUE(read_back.numbers == numbers);
  EXPECT_EQ(read_back.points.values.size(), 2 * numbers.size());
  const Read labelled = read({.path = path, .label = "2", .missing = "skip"});
  EXPECT_TRUE(labelled.points.labels == classes);
  EXPECT_TRUE(labelled.numbers == numbers);
}

TEST(CsvText, ThatIsBinaryOrUtf16IsCalledSo) {
  const WrittenFiles files;
  expect_refused({.path = files.write("p.csv", std::string("\x7f"
                                                           "ELF\0\0\1\0,\n",
                                                           11))},
                 {"p.csv: is binary"});
  expect_refused({.path = files.write("p.csv", std::string("\xFF\xFE"
                                                           "1\0,\0"
                                                           "2\0\n\0",
                                                           10))},
                 {"p.csv: is UTF-16"});
  expect_refused({.path = files.write("p.csv", std::string("1,2\n3,4\0005\n", 10))}, {"p.csv:2: column 2: '4\\x005'"});
}

}  // namespace
}  // namespace cairn::test::csv_columns_test
