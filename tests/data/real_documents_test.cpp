// Real documents and vectors, where CAIRN_DATA names their folder. The counts were found by reading the files in
// Python.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "whole_documents.hpp"

namespace cairn::test::real_documents_test {
namespace {

class RealDocuments : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CAIRN_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
    folder_ = folder;
    source_.vectors.path = folder_ + "/words/glove100.f32le.gz";
    source_.tokenization.stop_words = read_stop_words(world(), folder_ + "/documents/stop-words.txt");
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/documents/" + name; }

  void expect_counts(Index documents, Index words, Index entries, std::size_t classes) {
    const ReadDocuments read = read_documents(world(), source_);
    EXPECT_EQ(read.documents->size(), documents);
    EXPECT_EQ(read.documents->vectors()->size(), words);
    EXPECT_EQ(world().sum(static_cast<Index>(read.documents->bags().words.size())), entries);
    const Labels labels = gathered(read.documents->labels());
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), classes);
    report_ = read.report;
    splits_ = read.documents->splits();
  }

  std::string folder_;
  DocumentSource source_;
  DocumentReport report_;
  Labels splits_;
};

TEST_F(RealDocuments, TweetsAreRead) {
  CAIRN_UP_TO_RANKS(2);
  source_.path = file("twitter.txt.xz");
  source_.format = "tsv";
  source_.label = "1";
  expect_counts(3085, 4146, 18667, 3);
  EXPECT_EQ(report_.empty, 30);
  EXPECT_EQ(report_.words, 23092);
  EXPECT_EQ(report_.words_without_vector, 3494);
  EXPECT_EQ(report_.read, 3115);
}

TEST_F(RealDocuments, RecipesAreReadFromTheirArchive) {
  CAIRN_UP_TO_RANKS(2);
  source_.path = file("recipe.json.zip");
  source_.text = "ingredients";
  source_.label = "cuisine";
  expect_counts(39774, 2614, 745697, 20);
  EXPECT_EQ(report_.words, 807766);
  EXPECT_EQ(report_.words_without_vector, 5898);
  EXPECT_EQ(report_.read, 39774);
}

TEST_F(RealDocuments, TenClassesOfAbstractsAreRead) {
  CAIRN_UP_TO_RANKS(2);
  source_.path = file("ohsumed.training.tsv.gz");
  source_.test_path = file("ohsumed.test.tsv.gz");
  source_.text = "3";
  source_.label = "1";
  source_.classes = {"C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C09", "C10"};
  expect_counts(9152, 20481, 533248, 10);
  EXPECT_EQ(report_.words, 942767);
  const Labels splits = gathered(splits_);
  EXPECT_EQ(std::count(splits.begin(), splits.end(), "train"), 3999);  // as the paper has them
  EXPECT_EQ(std::count(splits.begin(), splits.end(), "test"), 5153);
}

TEST_F(RealDocuments, NewsAreRead) {
  CAIRN_UP_TO_RANKS(2);
  source_.path = file("20news.train.tsv.gz");
  source_.test_path = file("20news.test.tsv.gz");
  source_.text = "3";
  source_.label = "1";
  expect_counts(18846, 64203, 1638479, 20);
  EXPECT_EQ(report_.read, 18846);
}

}  // namespace
}  // namespace cairn::test::real_documents_test
