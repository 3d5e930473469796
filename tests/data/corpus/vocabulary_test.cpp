// The words of a corpus before they are counted: vocabularies, subsampling, markup, generated texts.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/corpus/corpus_generator.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/data/documents/markup.hpp"
#include "test_communicator.hpp"

namespace cairn::vocabulary_test {
namespace {

using test::world;

// Texts "a b a", "b", "c b a ...": rank r holds every one that is its turn.
CorpusWords agreed(const std::vector<std::vector<std::string>>& texts, const VocabularyLimits& limits, CorpusText& text,
                   CorpusCounts& counts) {
  Vocabulary met;
  for (std::size_t a = 0; a < texts.size(); ++a) {
    if (static_cast<int>(a) % world().size() != world().rank()) continue;
    for (const std::string& word : texts[a]) text.tokens.push_back(met.add(word));
    text.starts.push_back(std::ssize(text.tokens));
  }
  return agree_on_vocabulary(world(), met, limits, text, counts);
}

TEST(Vocabulary, IsInTheOrderOfFallingCountsThenBytes) {
  CorpusText text;
  CorpusCounts counts;
  const CorpusWords words = agreed({{"b", "a", "b"}, {"c", "a", "\xC3\xA9"}, {"c", "z", "b"}}, {}, text, counts);
  EXPECT_THAT(words.words, testing::ElementsAre("b", "a", "c", "z", "\xC3\xA9"));
  EXPECT_THAT(words.counts, testing::ElementsAre(3, 2, 2, 1, 1));
  EXPECT_EQ(counts.tokens, 9);
  EXPECT_EQ(counts.kept, 9);
  EXPECT_EQ(counts.texts, 3);
}

TEST(Vocabulary, LeavesOutRareWordsBeforeWindowsAreCut) {
  CorpusText text;
  CorpusCounts counts;
  const CorpusWords words =
      agreed({{"a", "rare", "b", "a"}, {"b", "other"}, {"alone"}}, {.minimum_count = 2}, text, counts);
  EXPECT_THAT(words.words, testing::ElementsAre("a", "b"));
  EXPECT_EQ(counts.different, 5);
  EXPECT_EQ(counts.kept, 4);
  EXPECT_EQ(counts.empty, 1);
  for (Index a = 0; a < text.texts(); ++a) {
    if (text.text(a).size() == 3) EXPECT_THAT(text.text(a), testing::ElementsAre(0, 1, 0));  // a b a are neighbors now
  }
  CorpusText again;
  CorpusCounts others;
  EXPECT_THAT(agreed({{"a", "b", "a"}, {"b", "c"}}, {.size = 1}, again, others).words, testing::ElementsAre("a"));
}

TEST(Vocabulary, HasADigestThatDoesNotDependOnTheRanks) {
  CorpusText text;
  CorpusCounts counts;
  const std::vector<std::vector<std::string>> texts = {{"a", "b"}, {"b", "c", "a"}, {"c"}, {"a", "a"}};
  const CorpusWords words = agreed(texts, {}, text, counts);
  const std::uint64_t digest = corpus_digest(world(), words, text);
  CorpusText whole;  // on one rank
  if (world().is_root()) {
    for (const auto& one : texts) {
      for (const std::string& word : one) {
        whole.tokens.push_back(static_cast<std::int32_t>(std::ranges::find(words.words, word) - words.words.begin()));
      }
      whole.starts.push_back(std::ssize(whole.tokens));
    }
  }
  EXPECT_EQ(corpus_digest(world(), words, whole), digest);
  if (world().is_root()) std::swap(whole.tokens.front(), whole.tokens[1]);
  EXPECT_NE(corpus_digest(world(), words, whole), digest);
}

// Tokens of word `word` in all texts.
Index occurrences(const CorpusText& text, std::int32_t word) {
  return world().sum(static_cast<Index>(std::ranges::count(text.tokens, word)));
}

TEST(Subsampling, KeepsTheRootOfTheShareAndTheOrder) {
  CorpusText text;
  CorpusCounts counts;
  const ZipfCorpus corpus{300, 200'000, 250, 8};
  const CorpusWords words = generate_corpus(world(), corpus, {.minimum_count = 1}, text, counts);
  CorpusText before = text;
  constexpr double rate = 1e-3;
  subsample(world(), words, rate, text, counts);
  EXPECT_EQ(text.texts(), before.texts());
  for (std::int32_t word = 0; word < words.size(); ++word) {
    const Index count = words.counts[word];
    const double share = std::min(1.0, std::sqrt(rate / (static_cast<double>(count) / 200'000.0)));
    EXPECT_DOUBLE_EQ(kept_share(rate, count, 200'000), share);
    const auto expected = share * static_cast<double>(count);
    EXPECT_NEAR(static_cast<double>(occurrences(text, word)), expected, 5 * std::sqrt(expected * (1 - share)) + 1e-9)
        << word;
  }
  EXPECT_EQ(counts.dropped, 200'000 - world().sum(std::ssize(text.tokens)));
  for (Index a = 0; a < text.texts(); ++a) {  // what is left are tokens of the text, in their order
    auto at = before.text(a).begin();
    for (const std::int32_t token : text.text(a)) {
      at = std::find(at, before.text(a).end(), token);
      ASSERT_NE(at, before.text(a).end());
      ++at;
    }
  }
}

TEST(Subsampling, IsTheSameOnAnyNumberOfRanks) {
  CorpusText text, whole;
  CorpusCounts counts, others;
  const ZipfCorpus corpus{300, 20'000, 250, 9};
  const Communicator alone(MPI_COMM_SELF);
  const CorpusWords words = generate_corpus(world(), corpus, {.minimum_count = 2}, text, counts);
  const CorpusWords by_one = generate_corpus(alone, corpus, {.minimum_count = 2}, whole, others);
  subsample(world(), words, 1e-3, text, counts);
  subsample(alone, by_one, 1e-3, whole, others);
  EXPECT_EQ(counts.dropped, others.dropped);
  EXPECT_EQ(corpus_digest(world(), words, text), corpus_digest(alone, by_one, whole));
}

TEST(Markup, IsTakenOutWhereItIsOne) {
  EXPECT_EQ(without_markup("a<br />b"), "a b");
  EXPECT_EQ(without_markup("<p class='x'>one</p><!-- two -->three"), " one  three");
  EXPECT_EQ(without_markup("1 < 2 and 3 > 2"), "1 < 2 and 3 > 2");
  EXPECT_EQ(without_markup("x <b unfinished"), "x <b unfinished");
  EXPECT_EQ(without_markup("<<b>>"), "< >");
  EXPECT_EQ(without_markup(""), "");
}

TEST(Generator, DrawsTheSameTextsOnAnyNumberOfRanks) {
  CorpusText text, whole;
  CorpusCounts counts, others;
  const ZipfCorpus corpus{500, 20'000, 300, 5};
  const CorpusWords words = generate_corpus(world(), corpus, {.minimum_count = 3}, text, counts);
  test::Context context;
  const std::uint64_t digest = corpus_digest(world(), words, text);
  const Communicator alone(MPI_COMM_SELF);
  const CorpusWords by_one = generate_corpus(alone, corpus, {.minimum_count = 3}, whole, others);
  EXPECT_EQ(by_one.words, words.words);
  EXPECT_EQ(by_one.counts, words.counts);
  EXPECT_EQ(corpus_digest(alone, by_one, whole), digest);
  EXPECT_EQ(counts.tokens, 20'000);
  EXPECT_EQ(counts.texts, 67);
  EXPECT_EQ(words.words.front(), "w1");
  // 1 / (1 + 1/2 + ... + 1/500) of the tokens, 4 standard deviations.
  EXPECT_NEAR(static_cast<double>(words.counts.front()), 20'000 / 6.793, 4 * 50.2);
}

}  // namespace
}  // namespace cairn::vocabulary_test
