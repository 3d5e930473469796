#include "cairn/approximation/text_means.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "method_run.hpp"

namespace cairn::text_means_test {
namespace {

using test::Context;
using test::world;

constexpr Index words = 70, dimension = 9, texts = 41;

double entry(Index word, Index k) { return std::sin(static_cast<double>(3 * word + 7 * k + 1)); }

// How often text a holds a word; word `words` has no row.
float tokens_of(Index a, Index word) {
  const auto times = static_cast<float>((a * 5 + word * 3) % 11 - 7);
  return times > 0 && a % 6 != 5 ? times : (word == words && a % 6 >= 4 ? 2.0F : 0.0F);
}

template <class T>
Approximation<T> words_approximation() {
  Approximation<T> approximation;
  RowBlock<T> rows(RowPartition(words, world().size()), world().rank(), dimension);
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    for (Index k = 0; k < dimension; ++k) rows.row(i)[k] = static_cast<T>(entry(i, k));
  }
  approximation.left = std::move(rows);
  approximation.core_matrix = DiagonalCore{std::vector<double>(dimension, 0.5)};
  approximation.report.method = "toy";
  return approximation;
}

DocumentSet documents() {
  const RowPartition partition(texts, world().size());
  const Range own = partition.range(world().rank());
  DocumentBags bags;
  for (Index a = own.begin; a < own.end; ++a) {
    for (Index w = 0; w <= words; ++w) {
      if (tokens_of(a, w) == 0) continue;
      bags.words.push_back(static_cast<std::int32_t>(w));
      bags.counts.push_back(tokens_of(a, w));
    }
    bags.starts.push_back(std::ssize(bags.words));
  }
  return {partition, world().rank(), nullptr, std::move(bags)};
}

// 1 + log((1 + N) / (1 + d)), by its letter.
double inverse_frequency(Index word) {
  double holding = 0;
  for (Index a = 0; a < texts; ++a) holding += tokens_of(a, word) > 0 ? 1 : 0;
  return 1 + std::log((1.0 + texts) / (1.0 + holding));
}

template <class T>
class TextMeans : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TextMeans, Precisions);

TYPED_TEST(TextMeans, AreThoseOfTheTokens) {
  Context context;
  const auto of_words = words_approximation<TypeParam>();
  const DocumentSet set = documents();
  const double tolerance = std::is_same_v<TypeParam, float> ? 1e-6 : 1e-14;
  for (const WordWeights weights : {WordWeights::mean, WordWeights::tf_idf}) {
    const auto made = approximation_of_texts(context.execution, of_words, set, weights);
    EXPECT_EQ(made.left.partition().rows(), texts);
    EXPECT_EQ(made.report.method, "toy");
    EXPECT_EQ(std::get<DiagonalCore>(made.core_matrix).values, std::vector<double>(dimension, 0.5));
    EXPECT_FALSE(made.left_origin.has_value());
    const RowBlock<TypeParam>& rows = made.left.dense();
    for (Index a = rows.range().begin; a < rows.range().end; ++a) {
      for (Index k = 0; k < dimension; ++k) {
        double sum = 0, total = 0;
        for (Index w = 0; w <= words; ++w) {
          const double idf = weights == WordWeights::tf_idf && w < words ? inverse_frequency(w) : 1.0;
          total += tokens_of(a, w) * idf;
          sum += w < words ? tokens_of(a, w) * idf * entry(w, k) : 0.0;
        }
        const double expected = total > 0 ? sum / total : 0.0;
        EXPECT_NEAR(static_cast<double>(rows.row(a)[k]), expected, tolerance) << a;
      }
    }
  }
}

TYPED_TEST(TextMeans, AreNotOfDistancesOrTwoFactors) {
  Context context;
  const DocumentSet set = documents();
  const auto refused = [&](const Approximation<TypeParam>& of_words) {
    EXPECT_THROW(static_cast<void>(approximation_of_texts(context.execution, of_words, set, WordWeights::mean)), Error);
  };
  auto distances = words_approximation<TypeParam>();
  distances.transform = Transform::sqrt;
  refused(distances);
  auto two = words_approximation<TypeParam>();
  two.right = words_approximation<TypeParam>().left;
  two.symmetric = false;
  refused(two);
}

TEST(ReplicatedWords, AreThoseOfAllRanksInOrder) {
  const int rank = world().rank();
  const std::vector<std::string> own = {"a" + std::to_string(rank), "", "größe"};
  const auto all = replicated_words(world(), own);
  ASSERT_EQ(std::ssize(*all), 3 * world().size());
  for (int r = 0; r < world().size(); ++r) {
    EXPECT_EQ((*all)[3 * r], "a" + std::to_string(r));
    EXPECT_EQ((*all)[3 * r + 1], "");
    EXPECT_EQ((*all)[3 * r + 2], "größe");
  }
}

}  // namespace
}  // namespace cairn::text_means_test
