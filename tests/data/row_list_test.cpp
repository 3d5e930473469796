#include "cairn/data/row_list.hpp"

#include "cairn/data/pair_list.hpp"
#include "written_files.hpp"

namespace cairn::test::row_list_test {
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

using Texts = std::vector<std::string>;

// "first|second@line" of each pair, read so many at a time.
Texts pairs_of(const std::string& path, bool numbers, Index together = 2) {
  PairList list(path, numbers);
  Texts all;
  for (auto some = list.next(together); !some.empty(); some = list.next(together)) {
    for (const auto& pair : some) all.push_back(pair.first + "|" + pair.second + "@" + std::to_string(pair.line));
  }
  return all;
}

TEST(PairLists, AreApartByTabsCommasOrBlanks) {
  const WrittenFiles files;
  EXPECT_EQ((Texts{"1|2@1", "3|4@3", "5|6@4"}), pairs_of(files.write("a.csv", "1,2\r\n\n 3 , 4\n5,6"), true));
  EXPECT_EQ((Texts{"1|2@1", "3|4@2"}), pairs_of(files.write("b.txt", "1  2\n3\t4\n").c_str(), true, 1));
  EXPECT_EQ((Texts{"a b|c,d@1", "e|f@2"}), pairs_of(files.write("c.tsv", "a b\tc,d\ne\tf\n"), false));
  EXPECT_EQ((Texts{"a, b|c@1", "d \"|e@2"}), pairs_of(files.write("d.csv", "\"a, b\",c\n\"d \"\"\",e\n"), false));
  EXPECT_EQ((Texts{"1|2@1"}), pairs_of(files.write("e.csv",
                                                   "\xEF\xBB\xBF"
                                                   "1,2\n"),
                                       true));
}

TEST(PairLists, HaveAHeadingOnlyWhereNumbersAreMeant) {
  const WrittenFiles files;
  const std::string path = files.write("a.csv", "from,to\n1,2\n");
  EXPECT_EQ((Texts{"1|2@2"}), pairs_of(path, true));
  EXPECT_EQ((Texts{"from|to@1", "1|2@2"}), pairs_of(path, false));
  EXPECT_EQ((Texts{"1|x@1"}), pairs_of(files.write("b.csv", "1,x\n"), true));
  EXPECT_EQ(Texts{}, pairs_of(files.write("c.csv", "from,to\n"), true));
}

TEST(PairLists, NameTheLineThatIsWrong) {
  const WrittenFiles files;
  const auto expect = [](const std::string& path, const char* text) {
    test::expect_error([&] { static_cast<void>(pairs_of(path, true)); }, ErrorKind::input, {text});
  };
  expect(files.write("a.csv", "1,2\n\n3\n"), "a.csv:3: has 1 field; a pair has two");
  expect(files.write("b.csv", "1,2,3\n"), "b.csv:1: has 3 fields; a pair has two");
  expect(files.write("c.csv", "1,2\n3,\n"), "c.csv:2: has an empty field");
  expect(files.write("d.csv", "1,2\n\"3,4\n"), "d.csv:2: a quote is not closed");
  expect(files.write("e.csv", ""), "e.csv: is empty");
  expect(files.write("f.csv", std::string("1,2\n3,\0\n", 8)), "f.csv:2");
  expect(files.path("missing.csv"), "missing.csv");
}

}  // namespace
}  // namespace cairn::test::row_list_test
