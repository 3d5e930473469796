// Word mover's distances of real documents against LEMON's network simplex: questions that ship with the project, and
// tweets, recipes and abstracts where CAIRN_DATA names their folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "cairn/base/random.hpp"
#include "cairn/data/documents/document_reader.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"
#include "lemon_word_movers.hpp"
#include "random_documents.hpp"

namespace cairn::test::real_word_movers_test {
namespace {

// The largest difference among rows x columns documents that a seed draws.
void expect_as_by_lemon(const DocumentSource& source, Index rows, Index columns) {
  const ReadDocuments read = read_documents(world(), source);
  const DocumentSet& documents = *read.documents;
  const auto drawn = sample_without_replacement(documents.size(), rows + columns, Random(5, Stream::test));
  const auto x = documents.gather(world(), std::span(drawn).first(rows));
  const auto y = documents.gather(world(), std::span(drawn).subspan(rows));
  Context context;
  std::vector<double> values(rows * columns);
  make_wmd_distance<double>(context.execution, documents)->tile(*x, *y, {values.data(), rows, columns});
  const auto& left = dynamic_cast<const DocumentBlock&>(*x);
  const auto& right = dynamic_cast<const DocumentBlock&>(*y);
  double largest = 0.0;
  for (Index a = 0; a < rows; ++a) {
    for (Index b = 0; b < columns; ++b) {
      const double expected = lemon_word_movers_distance(bag_view(left, a), bag_view(right, b), *documents.vectors());
      const double found = values[a * columns + b];
      EXPECT_NEAR(found, expected, 1e-9) << drawn[a] << ", " << drawn[rows + b];
      largest = std::max(largest, std::abs(found - expected));
    }
  }
  std::printf("largest difference of %lld: %.2g\n", static_cast<long long>(rows * columns), largest);
}

TEST(RealWordMovers, QuestionsAreAsFarApartAsLemonSays) {
  const std::string data = CAIRN_TEST_DATA;
  expect_as_by_lemon({.path = data + "/questions.tsv.gz", .vectors = {.path = data + "/questions.f32le.xz"}}, 50, 60);
}

class FurtherWordMovers : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CAIRN_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set CAIRN_DATA to the folder of further inputs to run it";
    texts_ = std::string(folder) + "/documents/";
    source_.vectors.path = std::string(folder) + "/words/glove100.f32le.gz";
    source_.tokenization.stop_words = read_stop_words(world(), texts_ + "stop-words.txt");
  }
  std::string texts_;
  DocumentSource source_;
};

TEST_F(FurtherWordMovers, TweetsAreAsFarApartAsLemonSays) {
  source_.path = texts_ + "twitter.txt.xz";
  source_.format = "tsv";
  expect_as_by_lemon(source_, 60, 60);
}

TEST_F(FurtherWordMovers, RecipesAreAsFarApartAsLemonSays) {
  source_.path = texts_ + "recipe.json.zip";
  source_.text = "ingredients";
  expect_as_by_lemon(source_, 40, 40);
}

TEST_F(FurtherWordMovers, AbstractsAreAsFarApartAsLemonSays) {
  source_.path = texts_ + "ohsumed.training.tsv.gz";
  source_.text = "3";
  source_.label = "1";
  expect_as_by_lemon(source_, 20, 30);
}

}  // namespace
}  // namespace cairn::test::real_word_movers_test
