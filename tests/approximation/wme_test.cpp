#include "cairn/approximation/random_features/wme.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "approximation/method_choice.hpp"
#include "cairn/base/error.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"
#include "similarity/random_documents.hpp"

namespace {

using namespace cairn;
using cairn::test::Context;
using cairn::test::make_documents;
using cairn::test::make_word_vectors;
using cairn::test::world;

struct WordMoversEmbedding : testing::Test {
  Context context{world(), 3};
  std::shared_ptr<const WordVectors> vectors = make_word_vectors(200, 8);
  DocumentSet documents = make_documents(90, 12, vectors);

  template <class T>
  Approximation<T> embed(Index count, Index longest) {
    const auto similarity = make_wmd<T>(context.execution, documents, 0.4);
    test::MethodChoice parameters{"wme"};
    parameters.set("longest-document", longest);
    auto result = test::approximate<T>(parameters, context.execution, *similarity, documents, {}, count);
    EXPECT_EQ(world().sum(similarity->evaluations()), 90 * count);
    return result;
  }
};

TEST_F(WordMoversEmbedding, DrawsDocumentsOfEveryLengthFromAllWords) {
  const auto drawn = draw_random_documents(vectors, {0, 3000}, {7, 4});
  std::vector<double> lengths(5, 0.0);
  std::set<std::int32_t> words(drawn->words.begin(), drawn->words.end());
  for (Index j = 0; j < 3000; ++j) {
    const auto from = static_cast<std::size_t>(drawn->starts[j]);
    const auto to = static_cast<std::size_t>(drawn->starts[static_cast<std::size_t>(j) + 1]);
    const auto length = std::accumulate(drawn->counts.begin() + static_cast<std::ptrdiff_t>(from),
                                        drawn->counts.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
    ASSERT_GE(length, 1.0);
    ASSERT_LE(length, 4.0);
    lengths[length] += 1.0;
    for (std::size_t w = from + 1; w < to; ++w) ASSERT_LT(drawn->words[w - 1], drawn->words[w]);
    EXPECT_EQ(drawn->ids[j], -1 - j);
  }
  EXPECT_EQ(words.size(), 200U);
  for (std::size_t length = 1; length <= 4; ++length) EXPECT_NEAR(lengths[length], 750, 5 * std::sqrt(750 * 0.75));
}

TEST_F(WordMoversEmbedding, DrawsTheSameDocumentsFirst) {
  const auto few = draw_random_documents(vectors, {0, 5}, {7, 6}),
             many = draw_random_documents(vectors, {0, 50}, {7, 6});
  for (std::size_t w = 0; w < few->words.size(); ++w) EXPECT_EQ(few->words[w], many->words[w]);
  const auto others = draw_random_documents(vectors, {0, 50}, {8, 6});
  EXPECT_FALSE(std::equal(many->words.begin(), many->words.end(), others->words.begin(), others->words.end()));
}

TEST_F(WordMoversEmbedding, HoldsSimilaritiesWithRandomDocuments) {
  const Approximation<double> result = embed<double>(40, 5);
  const auto drawn = draw_random_documents(vectors, {0, 40}, {3, 5});
  const auto similarity = make_wmd<double>(context.execution, documents, 0.4);
  const auto own = documents.block(documents.range());
  std::vector<double> expected(own->size() * 40);
  similarity->tile(*own, *drawn, {expected.data(), own->size(), 40});
  const RowBlock<double>& left = result.left.dense();
  for (Index i = 0; i < own->size(); ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      EXPECT_NEAR(left.row(documents.range().begin + i)[j], expected[static_cast<std::size_t>(i) * 40 + j], 1e-14);
    }
  }
  for (const double value : std::get<DiagonalCore>(result.core_matrix).values) EXPECT_DOUBLE_EQ(value, 1.0 / 40);
  EXPECT_FALSE(result.right);
  EXPECT_EQ(result.report.method, "wme");
}

// K~ is a mean over random documents: two independent halves of them differ by their standard errors.
TEST_F(WordMoversEmbedding, Converges) {
  const Approximation<double> few = embed<double>(200, 3), many = embed<double>(3200, 3);
  std::vector<Index> rows, columns;
  for (Index k = 0; world().is_root() && k < 200; ++k) {
    rows.push_back(k * 7 % 90);
    columns.push_back(k * 13 % 90);
  }
  const auto coarse = approximate_entries(context.execution, few, rows, columns);
  const auto fine = approximate_entries(context.execution, many, rows, columns);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_GT(fine[k], 0.0);
    EXPECT_LT(fine[k], 1.0);
    EXPECT_NEAR(coarse[k], fine[k], 0.35 * fine[k]);
  }
}

TEST_F(WordMoversEmbedding, WorksInSinglePrecision) {
  const Approximation<float> result = embed<float>(10, 6);
  EXPECT_EQ(result.left.columns(), 10);
}

TEST_F(WordMoversEmbedding, RefusesOtherSimilarities) {
  const auto distance = make_wmd_distance<double>(context.execution, documents);
  test::MethodChoice parameters{"wme"};
  EXPECT_THROW((void)test::approximate<double>(parameters, context.execution, *distance, documents, {}, 5), Error);
  parameters.set("longest-document", 0);
  const auto similarity = make_wmd<double>(context.execution, documents, 0.4);
  EXPECT_THROW((void)test::approximate<double>(parameters, context.execution, *similarity, documents, {}, 5), Error);
}

}  // namespace
