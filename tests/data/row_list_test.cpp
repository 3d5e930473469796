#include "cairn/data/row_list.hpp"

#include "written_files.hpp"

namespace cairn::test {
namespace {

void expect_error(const std::string& path, const char* text) {
  test::expect_error([&] { static_cast<void>(read_row_list(world(), path, RowPartition(100, world().size()))); },
                     ErrorKind::input, {text});
}

TEST(RowLists, EveryRankKeepsItsOwnRows) {
  const WrittenFiles files;
  const std::string path = files.write("rows.txt", "# some\n99\n 3 # three\n\n40\r\n0\n");
  const RowPartition partition(100, world().size());
  const std::vector<Index> own = read_row_list(world(), path, partition);
  for (const Index row : own) EXPECT_TRUE(partition.range(world().rank()).contains(row));
  EXPECT_EQ(world().all_gather(own), (std::vector<Index>{0, 3, 40, 99}));
}

TEST(RowLists, NameTheLineThatIsWrong) {
  const WrittenFiles files;
  expect_error(files.write("a.txt", "1\n100\n"), "a.txt:2: row 100 does not exist; rows go from 0 to 99");
  expect_error(files.write("b.txt", "-1\n"), "b.txt:1: row -1 does not exist");
  expect_error(files.write("c.txt", "5\n97\n#\n97\n"), "c.txt:4: row 97 is a duplicate");
  expect_error(files.write("d.txt", "1 2\n"), "d.txt:1: '1 2' is not an integer");
  expect_error(files.write("e.txt", "# none\n"), "e.txt: holds no row number");
  expect_error(files.path("missing.txt"), "missing.txt");
}

}  // namespace
}  // namespace cairn::test
