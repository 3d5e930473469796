// Splits, groups and identifiers beside labels, from every format that has them.
#include <gmock/gmock.h>

#include "cairn/data/points/point_reader.hpp"
#include "data/whole_documents.hpp"
#include "data/written_files.hpp"

namespace cairn::test::object_texts_test {
namespace {

ObjectTexts texts_at(const ObjectSet& objects) {
  return {gathered(objects.labels()), gathered(objects.splits()), gathered(objects.groups()),
          gathered(objects.identifiers())};
}

TEST(ObjectTexts, ATableOfPointsHasThemInColumns) {
  const WrittenFiles files;
  std::string lines = "thread,a,kind,set,b,comment\n";
  Labels labels, splits, groups, identifiers;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(i % 3 == 0 ? "Good" : "Bad, or\tworse");
    splits.emplace_back(i < 25 ? "train" : "test");
    groups.push_back("Q" + std::to_string(i / 7));
    identifiers.push_back(groups.back() + "_C" + std::to_string(i));
    lines += fmt::format("{},{},\"{}\",{},{},{}\n", groups.back(), i, labels.back(), splits.back(), 2 * i,
                         identifiers.back());
  }
  const PointSource source{
      .path = files.write("p.csv", lines), .label = "kind", .split = "4", .group = "thread", .identifier = "comment"};
  const PointTable<double> table = read_point_table<double>(world(), source);
  const ObjectTexts texts = texts_at(table.points);
  EXPECT_EQ(texts.labels, labels);
  EXPECT_EQ(texts.splits, splits);
  EXPECT_EQ(texts.groups, groups);
  EXPECT_EQ(texts.identifiers, identifiers);
  EXPECT_EQ(table.report.columns.names, (Labels{"a", "b"}));
  EXPECT_EQ(table.points.dimension(), 2);
  EXPECT_EQ(texts_of(table.points).groups, table.points.groups());
}

TEST(ObjectTexts, OfATableMayBeMissingOrMisnamed) {
  const WrittenFiles files;
  const std::string path = files.write("p.csv", "x,thread,y\n1,a,2\n3,,4\n");
  expect_refused(PointSource{.path = path, .group = "thread"}, {"p.csv:3: column 2: the group is missing"});
  expect_refused(PointSource{.path = path, .group = "threads"}, {"parameter group = threads: there is no such column"});
  expect_refused(PointSource{.path = path, .group = "thread", .columns = {"x", "thread"}},
                 {"column thread holds the labels or other texts"}, ErrorKind::usage);
  expect_refused(PointSource{.path = files.write("p.svm", "1 1:2\n"), .group = "thread"},
                 {"parameter group = thread", "is of format svm"}, ErrorKind::usage);
}

TEST(ObjectTexts, DocumentsHaveThemInColumnsAndFields) {
  const WrittenFiles files;
  const Labels groups = {"Q1", "Q1", "Q2"}, identifiers = {"Q1_C1", "Q1_C2", "Q2_C1"};
  DocumentSource source{.text = "text", .label = "kind", .group = "thread", .identifier = "id"};
  for (const auto& [name, text] :
       {std::pair("d.tsv",
                  "thread\tid\tkind\ttext\nQ1\tQ1_C1\tgood\tone cat\nQ1\tQ1_C2\tbad\ta dog\nQ2\tQ2_C1\tgood\tcats\n"),
        std::pair("d.csv", "thread,id,kind,text\nQ1,Q1_C1,good,one cat\nQ1,Q1_C2,bad,a dog\nQ2,Q2_C1,good,cats\n"),
        std::pair("d.jsonl",
                  "{\"thread\": \"Q1\", \"id\": \"Q1_C1\", \"kind\": \"good\", \"text\": \"one cat\"}\n"
                  "{\"id\": \"Q1_C2\", \"thread\": \"Q1\", \"kind\": \"bad\", \"text\": \"a dog\"}\n"
                  "{\"thread\": \"Q2\", \"kind\": \"good\", \"id\": \"Q2_C1\", \"text\": \"cats\"}\n")}) {
    source.path = files.write(name, text);
    const auto read = read_documents(world(), source);
    const ObjectTexts texts = texts_at(*read.documents);
    EXPECT_EQ(texts.groups, groups) << name;
    EXPECT_EQ(texts.identifiers, identifiers) << name;
    EXPECT_EQ(texts.labels, (Labels{"good", "bad", "good"})) << name;
    EXPECT_TRUE(texts.splits.empty());
  }
}

TEST(ObjectTexts, OfDocumentsMayBeMissing) {
  const WrittenFiles files;
  expect_refused(
      DocumentSource{.path = files.write("d.tsv", "thread\ttext\nQ1\tone\n\ttwo\n"), .text = "text", .group = "thread"},
      {"d.tsv:3: the group is missing"});
  expect_refused(DocumentSource{.path = files.write("d.jsonl", "{\"text\": \"one\"}\n"), .group = "thread"},
                 {"d.jsonl:1: has no field 'thread'"});
  test::expect_error(
      [&] { (void)read_documents(world(), {.path = files.write("d.txt", "one\n"), .format = "lines", .group = "1"}); },
      ErrorKind::usage, {"group = 1 has no effect"});
}

}  // namespace
}  // namespace cairn::test::object_texts_test
