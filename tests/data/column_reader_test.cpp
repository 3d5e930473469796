#include "cairn/data/points/column_reader.hpp"

#include "written_files.hpp"

namespace cairn::test::column_reader_test {
namespace {

using Names = std::vector<std::string>;

std::vector<double> values_of(const ColumnTable& table) {
  const MatrixView<const double> own = table.rows.coordinates().local();
  return world().all_gather(std::vector<double>(own.data, own.data + own.rows * own.columns));
}

void expect_error(const ColumnSource& source, const char* text, ErrorKind kind = ErrorKind::input) {
  test::expect_error([&] { static_cast<void>(read_columns(world(), source)); }, kind, {text});
}

TEST(Columns, AreTakenInTheOrderOfTheirNames) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "id,height,name,2\na,1,x,10\nb,2,y,20\n");
  const ColumnTable table = read_columns(world(), {.path = path, .columns = {"2", "height"}, .key = "id"});
  EXPECT_EQ(values_of(table), (std::vector<double>{10, 1, 20, 2}));
  EXPECT_EQ(table.names, (Names{"2", "height"}));
  EXPECT_EQ(table.rows.labels().size(), static_cast<std::size_t>(table.rows.range().size()));
  expect_error({.path = path, .columns = {"width"}, .key = ""}, "there is no column width (4 columns, no header line");
  expect_error({.path = path, .columns = {"name"}, .key = ""}, "p.csv:2: column 3 (name): 'x' is not a number");
  expect_error({.path = path, .columns = {}, .key = "id"}, "p.csv:2: column 3 (name): 'x' is not a number");
}

TEST(Columns, AreNumberedWhereThereIsNoHeader) {
  const WrittenFiles files;
  const std::string path = files.write("q.csv", "a,1,x\nb,2,y\n");
  const ColumnTable table = read_columns(world(), {.path = path, .columns = {"2"}, .key = ""});
  EXPECT_EQ(values_of(table), (std::vector<double>{1, 2}));
  EXPECT_EQ(table.names, (Names{"2"}));
  expect_error({.path = path, .columns = {"4"}, .key = ""}, "there is no column 4");
  expect_error({.path = files.path("y.npy"), .columns = {"1"}, .key = ""}, "only csv files have columns to choose",
               ErrorKind::usage);
}

}  // namespace
}  // namespace cairn::test::column_reader_test
