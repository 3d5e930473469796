// Text that cannot be read: the same message with file and line on every rank, and no rank left waiting.
#include "written_files.hpp"

namespace cairn::test::text_errors_test {
namespace {

void expect_csv_refused(const std::string& text, std::initializer_list<const char*> parts, const std::string& label) {
  const WrittenFiles files;
  expect_refused({.path = files.write("p.csv", text), .label = label}, parts);
  expect_refused({.path = files.write("p.csv.gz", gzipped(text)), .label = label}, {});
}

TEST(BadFile, IsNamedWhereItIsMissingOrNoFile) {
  const WrittenFiles files;
  for (const char* name : {"none.csv", "none.svm", "none.npy", "none.h5", "none.f32", "none-ubyte", "none.csv.gz"}) {
    expect_refused({.path = files.path(name), .dimension = 2}, {name, "No such file"});
  }
  expect_refused({.path = files.path(""), .format = "csv"}, {"is not a regular file"});
}

TEST(BadFile, IsNamedWhereItHoldsNothing) {
  const WrittenFiles files;
  for (const char* name : {"p.csv", "p.svm"}) {
    expect_refused({.path = files.write(name, "")}, {name, "is empty"});
    expect_refused({.path = files.write(name, gzipped(""))}, {name, "is empty"});
    expect_refused({.path = files.write(name, "\n \n\r\n")}, {name, "has no"});
  }
  expect_refused({.path = files.write("p.csv", "x,y\n")}, {"p.csv", "has no rows of data"});
  expect_refused({.path = files.write("p.svm", "1\n2\n")}, {"p.svm", "has no values"});
}

TEST(BadFile, IsNamedWhereItsCompressionIsDamaged) {
  const WrittenFiles files;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + ",2\n";
  for (const auto& [name, packed] :
       {std::pair{"p.csv.gz", gzipped(text)}, std::pair{"p.csv.xz", xz_compressed(text)}}) {
    expect_refused({.path = files.write(name, packed.substr(0, packed.size() / 2))}, {name, "truncated"});
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
    expect_refused({.path = files.write(name, damaged)}, {name});
  }
}

TEST(BadFile, IsNamedWhereItsChecksumOrSizeIsNotThatOfItsContent) {
  const WrittenFiles files;
  const std::string packed = gzipped("1,2\n3,4\n");
  for (std::size_t from_end = 1; from_end <= 8; ++from_end) {
    std::string damaged = packed;
    damaged[packed.size() - from_end] = static_cast<char>(damaged[packed.size() - from_end] ^ 1);
    expect_refused({.path = files.write("p.csv.gz", damaged)}, {"p.csv.gz", "damaged"});
  }
  expect_refused({.path = files.write("p.csv.gz", packed.substr(0, packed.size() - 8))}, {"p.csv.gz", "truncated"});
}

TEST(BadFile, FormatIsAskedForWhereTheNameDoesNotTell) {
  const WrittenFiles files;
  const std::string path = files.write("points", "1,2\n");
  expect_refused({.path = path}, {"points", "the name does not tell the format"}, ErrorKind::usage);
  expect_refused({.path = path, .format = "excel"}, {"'excel' is not known"}, ErrorKind::usage);
  EXPECT_EQ(read_whole({.path = path, .format = "csv"}).values, (std::vector<double>{1, 2}));
}

TEST(BadCsv, NamesTheLine) {
  expect_csv_refused("1,2\n3\n", {"p.csv:2: ", "1 columns, but the first line has 2"}, "");
  expect_csv_refused("x,y\n\n1,2\n3,4,5\n", {"p.csv:4: ", "3 columns, but the first line has 2"}, "");
  expect_csv_refused("1,2\n3,four\n", {"p.csv:2: column 2: 'four' is not a number", "parameter label"}, "");
  expect_csv_refused("1,2,a\n3,four,b\n", {"p.csv:2: column 2: 'four' is not a number"}, "3");
  expect_csv_refused("1,2\n3,\n", {"p.csv:2: column 2: '' is not a number"}, "");
  expect_csv_refused("1,2\n3,4 5\n", {"p.csv:2: column 2: '4 5' is not a number"}, "");
  expect_csv_refused("1,2\n3,0x5\n", {"p.csv:2: column 2: '0x5' is not a number"}, "");
  expect_csv_refused("1,2\n3,\"4\n", {"p.csv:2: ", "quote is not closed"}, "");
  expect_csv_refused("1,2\n3,\"4\"5\n", {"p.csv:2: ", "text follows a closing quote"}, "");
  for (const std::string value : {"nan", "-inf", "Infinity", "1e999", "-1e999"}) {
    expect_csv_refused("1,2\n" + value + ",4\n", {"p.csv:2: column 1", value.c_str(), "not a finite number"}, "");
  }
}

TEST(BadCsv, LabelsMustBeThere) {
  expect_csv_refused("x,y\n1,2\n",
                     {"p.csv", "parameter label = class", "no such column (2 columns: x, y; the separator is comma)"},
                     "class");
  expect_csv_refused("1,2\n", {"p.csv", "parameter label = class", "no header line"}, "class");
  expect_csv_refused("x,Class\n1,2\n", {"no such column", "did you mean 'Class'?"}, "class");
  expect_csv_refused("1,2\n", {"p.csv", "parameter label = 3", "no such column"}, "3");
  expect_csv_refused("x\n1\n", {"p.csv", "no columns beside the label"}, "x");
  expect_csv_refused(std::string("a,1\nb\0c,2\n", 10), {"p.csv:2: a label holds a byte 0"}, "1");
}

TEST(BadCsv, ANumberMayBeTooLargeForSinglePrecision) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "1,2\n1e39,4\n");
  expect_error([&] { (void)read_points<float>(world(), {.path = path}); }, ErrorKind::input,
               {"p.csv:2: column 1: '1e39' is out of the range of single precision"});
  EXPECT_EQ(read_whole({.path = path})(1, 0), 1e39);
}

TEST(BadCsv, TinyNumbersAreZero) {
  const WrittenFiles files;
  EXPECT_EQ(read_whole({.path = files.write("p.csv", "1e-999,-1e-400\n")}).values, (std::vector<double>{0, 0}));
}

TEST(BadSvm, NamesTheLine) {
  const WrittenFiles files;
  const std::pair<const char*, const char*> cases[] = {
      {"1 1:1\n2 0:3\n", "an index from 1"},      {"1 1:1\n2 -1:3\n", "an index from 1"},
      {"1 1:1\n2 x:3\n", "is no index:value"},    {"1 1:1\n2 3\n", "is no index:value"},
      {"1 1:1\n2 2:3 2:4\n", "does not ascend"},  {"1 1:1\n2 3:3 2:4\n", "does not ascend"},
      {"1 1:1\n2 2:three\n", "is not a number"},  {"1 1:1\n2 2:nan\n", "not a finite number"},
      {"1 1:1\n1:2 2:3\n", "a label is missing"}, {"1 1:1\n2 2:\n", "is not a number"}};
  for (const auto& [text, reason] : cases) {
    expect_refused({.path = files.write("p.svm", text)}, {"p.svm:2: ", reason});
  }
  expect_refused({.path = files.write("p.svm", "1 1:1\n"), .label = "class"}, {"parameter label = class", "first"});
  expect_refused({.path = files.write("p.svm", "1 1:1\n2 2:1 99999999999:1\n")},
                 {"p.svm: its largest index, 99999999999, is beyond 2^31"});
  expect_refused({.path = files.write("p.svm", std::string("1\0 1:1\n", 7))}, {"p.svm:1: a label holds a byte 0"});
}

TEST(BadKeys, AreNotIgnored) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "1,2\n");
  expect_refused({.path = path, .dimension = 3}, {"2 values a point", "parameter dimension says 3"});
  expect_refused({.path = path, .dataset = "x"}, {"parameter dataset = x"}, ErrorKind::usage);
}

}  // namespace
}  // namespace cairn::test::text_errors_test
