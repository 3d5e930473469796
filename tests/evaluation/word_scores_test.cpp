#include "cairn/evaluation/word_scores.hpp"

#include <cmath>
#include <map>
#include <set>

#include "../data/written_files.hpp"
#include "cairn/evaluation/word_rows.hpp"
#include "evaluation/word_vectors.hpp"

namespace cairn::test::word_scores_test {
namespace {

using Names = std::vector<std::string>;

// 60 words in the plane: a few of them at rows of several ranks, the others all alike.
WordVectors<double> few_words(const Communicator& ranks = world()) {
  struct Word {
    const char* name;
    double x, y;
  };
  static const std::map<Index, Word> named = {{3, {"cat", 1, 0}},         {17, {"dog", 1, 1}},   {18, {"null", 0, 0}},
                                              {33, {"owl", 0, 1}},        {40, {"Rome", -1, 0}}, {41, {"rome", 0, -2}},
                                              {50, {"\u00e4rzte", 3, 3}}, {58, {"bad", NAN, 1}}, {59, {"ox", 0, 5}}};
  return word_vectors(
      60, 2, [](Index i) { return named.contains(i) ? named.at(i).name
                                  : i < 30          ? "many"
                                                    : "w" + std::to_string(i); },
      [](Index i, Index k) {
        if (!named.contains(i)) return 1.0;
        return k == 0 ? named.at(i).x : named.at(i).y;
      },
      ranks);
}

WordScores score(const WordVectors<double>& vectors, const WordPairs& pairs, const Communicator& ranks = world()) {
  return score_words(ranks, vectors.rows, vectors.labels, pairs);
}

WordPairs pairs_of(std::vector<ScoredWords> pairs) {
  WordPairs words;
  words.path = "pairs.txt";
  words.pairs = std::move(pairs);
  for (std::size_t p = 0; p < words.pairs.size(); ++p) words.pairs[p].line = static_cast<Index>(p + 1);
  return words;
}

// Cosines .7071, 0, .7071, 1: ranks 2.5, 1, 2.5, 4 against 2, 1, 3, 4.
TEST(WordScores, AreComputedByHand) {
  const WordScores found = score(few_words(), pairs_of({{"cat", "dog", 5},
                                                        {"cat", "owl", 1},
                                                        {"dog", "owl", 6},
                                                        {"cat", "cat", 9},
                                                        {"cat", "wolf", 7},
                                                        {"null", "cat", 2}}));
  EXPECT_EQ(found.pairs, 6);
  EXPECT_EQ(found.known, 5);
  EXPECT_EQ(found.zero_vectors, 1);
  ASSERT_TRUE(found.spearman);
  EXPECT_NEAR(*found.spearman, 4.5 / std::sqrt(4.5 * 5.0), 1e-15);
}

// Average ranks and Pearson's correlation, as their definitions say.
double brute_spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const auto rank = [](const std::vector<double>& values, std::size_t i) {
    double below = 0, equal = 0;
    for (const double value : values) {
      below += value < values[i] ? 1 : 0;
      equal += value == values[i] ? 1 : 0;
    }
    return below + (equal + 1) / 2;
  };
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = rank(a, i) - mean, y = rank(b, i) - mean;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

template <class T>
void expect_brute_force() {
  constexpr Index words = 211, columns = 7, pairs = 500;
  const auto value = [](Index i, Index k) { return static_cast<double>(static_cast<T>(scattered(i % 200, k))); };
  const auto name = [](Index i) { return "w" + std::to_string(i * 37 % words); };
  const auto vectors = word_vectors<T>(words, columns, name, value);
  std::map<std::string, Index> row_of;
  for (Index i = 0; i < words; ++i) row_of[name(i)] = i;
  WordPairs list;
  std::vector<double> cosines, scores;
  Index known = 0;
  for (Index p = 0; p < pairs; ++p) {
    const std::string a = "w" + std::to_string(p * 7919 % 230), b = "w" + std::to_string(p * 104729 % 230);
    const double given = static_cast<double>(p * 31 % 10);
    list.pairs.push_back({a, b, given, p + 1});
    if (!row_of.contains(a) || !row_of.contains(b)) continue;
    ++known;
    double ab = 0, aa = 0, bb = 0;
    for (Index k = 0; k < columns; ++k) {
      const double x = value(row_of[a], k), y = value(row_of[b], k);
      ab += x * y;
      aa += x * x;
      bb += y * y;
    }
    cosines.push_back(std::round(1e9 * ab / std::sqrt(aa * bb)) / 1e9);  // equal vectors have equal cosines
    scores.push_back(given);
  }
  const WordScores found = score_words(world(), vectors.rows, vectors.labels, list);
  EXPECT_EQ(found.pairs, pairs);
  EXPECT_EQ(found.known, known);
  EXPECT_LT(known, pairs);
  EXPECT_NEAR(found.spearman.value(), brute_spearman(cosines, scores), 1e-13);
}

TEST(WordScores, AreThoseOfTheDefinition) {
  expect_brute_force<double>();
  expect_brute_force<float>();
}

TEST(WordScores, AreTheSameOnAnyNumberOfRanks) {
  const WordPairs pairs = pairs_of({{"cat", "dog", 5}, {"cat", "owl", 1}, {"Dog", "rome", 3}, {"cat", "w31", 4}});
  const Communicator alone(MPI_COMM_SELF);
  EXPECT_EQ(score(few_words(), pairs).spearman.value(), score(few_words(alone), pairs, alone).spearman.value());
}

// The cosines with cat are -1 of Rome, 0 of rome.
TEST(WordScores, FindWordsAsTheyAreAndThenInLowerCase) {
  const WordScores found =
      score(few_words(), pairs_of({{"CAT", "Rome", 1}, {"cat", "ROME", 2}, {"Cat", "\u00c4rzte", 3}}));
  EXPECT_EQ(found.known, 3);
  EXPECT_DOUBLE_EQ(found.spearman.value(), 1.0);
  EXPECT_EQ(in_lower_case({"New York", "\u00c4RZTE", "caf\xe9 Noir"}),
            (Names{"new york", "\u00e4rzte", "caf\xe9 Noir"}));
}

TEST(WordScores, NeedThreePairs) {
  const auto refused = [](std::vector<ScoredWords> pairs, std::initializer_list<const char*> parts) {
    expect_error([&] { (void)score(few_words(), pairs_of(std::move(pairs))); }, ErrorKind::input, parts);
  };
  refused({{"cat", "dog", 1}, {"cat", "owl", 2}, {"cat", "wolf", 3}},
          {"pairs.txt: of its 3 pairs, 2 have two words that are labels of rows; a correlation needs at least 3"});
  refused({{"cat", "dog", 1}, {"cat", "owl", 2}, {"null", "cat", 3}}, {"3 have two words", "1 of them with a vector of 0"});
  refused({{"lion", "tiger", 1}}, {"of its 1 pairs, 0 have"});
}

TEST(WordScores, OfEqualScoresAreUndefined) {
  EXPECT_FALSE(score(few_words(), pairs_of({{"cat", "dog", 1}, {"cat", "owl", 1}, {"cat", "Rome", 1}})).spearman);
}

TEST(WordScores, RefuseALabelOfSeveralRowsIfAPairNamesIt) {
  std::vector<ScoredWords> pairs = {{"cat", "dog", 1}, {"cat", "owl", 2}, {"cat", "Rome", 3}};
  EXPECT_EQ(score(few_words(), pairs_of(pairs)).known, 3);
  pairs.push_back({"cat", "MANY", 4});
  expect_error(
      [&] { (void)score(few_words(), pairs_of(pairs)); }, ErrorKind::input,
      {"pairs.txt:4: the label 'many' is a duplicate: 27 rows of the result have it, the first of them is row 0"});
}

TEST(WordScores, RefuseVectorsThatAreNotFinite) {
  expect_error(
      [&] {
        (void)score(few_words(), pairs_of({{"cat", "dog", 1}, {"cat", "owl", 2}, {"ox", "bad", 3}}));
      },
      ErrorKind::numeric, {"the vector of 'ox' or 'bad' holds a value that is not finite"});
}

TEST(WordScores, AreThoseOfVectorsOfAnyLength) {
  const double lengths[] = {1e-200, 1e200, 1, 1e-300};
  const auto vectors = word_vectors(
      4, 2, [](Index i) { return std::string(1, static_cast<char>('a' + i)); },
      [&](Index i, Index k) { return lengths[i] * (k == 0 ? 1.0 : static_cast<double>(i)); });
  EXPECT_DOUBLE_EQ(score(vectors, pairs_of({{"a", "b", 3}, {"a", "c", 2}, {"a", "d", 1}})).spearman.value(), 1.0);
}

// Reading.

struct Read {
  std::string separator;
  Names header;
  Index comments = 0;
  std::vector<ScoredWords> pairs;
};

void expect_read(const WordPairs& words, const Read& expected) {
  EXPECT_EQ(words.separator, expected.separator);
  EXPECT_EQ(words.header, expected.header);
  EXPECT_EQ(words.comment_lines, expected.comments);
  ASSERT_EQ(words.pairs.size(), expected.pairs.size());
  for (std::size_t p = 0; p < words.pairs.size(); ++p) {
    EXPECT_EQ(words.pairs[p].first, expected.pairs[p].first);
    EXPECT_EQ(words.pairs[p].second, expected.pairs[p].second);
    EXPECT_EQ(words.pairs[p].score, expected.pairs[p].score);
    EXPECT_EQ(words.pairs[p].line, expected.pairs[p].line);
  }
}

TEST(WordPairs, MayHaveAnySeparator) {
  const WrittenFiles files;
  const std::vector<ScoredWords> pairs = {{"old", "new", 1.58, 1}, {"love", "sex", 6.77, 2}};
  const auto read = [&](const std::string& bytes) { return read_word_pairs(world(), files.write("p.txt", bytes)); };
  expect_read(read("old\tnew\t1.58\nlove\tsex\t6.77\r\n"), {"tab", {}, 0, pairs});
  expect_read(read("old,new,1.58\nlove, sex ,6.77"), {"comma", {}, 0, pairs});
  expect_read(read("old;new;1.58\n\"love\";sex;6.77\n\n"), {"semicolon", {}, 0, pairs});
  expect_read(read("\xEF\xBB\xBFold new  1.58\n  love\tsex 6.77  \n"), {"blanks", {}, 0, pairs});
  expect_read(read(gzipped("old new 1.58\nlove sex 6.77\n")), {"blanks", {}, 0, pairs});
  expect_read(read(xz_compressed("old new 1.58\nlove sex 6.77\n")), {"blanks", {}, 0, pairs});
  expect_read(read("New York\tBig Apple\t9\n"), {"tab", {}, 0, {{"New York", "Big Apple", 9, 1}}});
}

TEST(WordPairs, MayHaveCommentsAndAHeader) {
  const WrittenFiles files;
  const auto read = [&](const std::string& bytes) { return read_word_pairs(world(), files.write("p.txt", bytes)); };
  expect_read(read("# by people\nWord 1,Word 2,Human (mean)\n# more\nlove,sex,6.77\n"),
              {"comma", {"Word 1", "Word 2", "Human (mean)"}, 2, {{"love", "sex", 6.77, 4}}});
  expect_read(read("a b how\nlove sex 6.77\n"), {"blanks", {"a", "b", "how"}, 0, {{"love", "sex", 6.77, 2}}});
  // As SimLex-999 is published, and with its columns in another order.
  expect_read(read("word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\n"
                   "old\tnew\tA\t1.58\t2.72\t2.81\t2\t7.25\t1\t0.41\n"),
              {"tab", {"word1", "word2", "SimLex999"}, 0, {{"old", "new", 1.58, 2}}});
  expect_read(read("score;Word2;Word1\n1.58;new;old\n"),
              {"semicolon", {"Word1", "Word2", "score"}, 0, {{"old", "new", 1.58, 2}}});
}

TEST(WordPairs, AreRefusedWithTheirLine) {
  const WrittenFiles files;
  const auto refused = [&](const std::string& bytes, std::initializer_list<const char*> parts) {
    const std::string path = files.write("p.txt", bytes);
    expect_error([&] { (void)read_word_pairs(world(), path); }, ErrorKind::input, parts);
  };
  refused("a b 1\n# c\nc d x\n", {"p.txt:3: 'x' is not a number"});
  refused("a b 1\nc d nan\n", {"p.txt:2: 'nan' is not a finite number"});
  refused("a b 1\nc d\n", {"p.txt:2: has 2 fields (by blanks), and the first line 3"});
  refused("a\tb\t1\nc d 2\n", {"p.txt:2: has 1 field (by tab), and the first line 3"});
  refused("a;b;1,5\n", {"p.txt:1: '1,5' is not a number"});
  refused("a,,1\n", {"p.txt:1: a word is empty"});
  refused("a,b,\n", {"p.txt:1: '' is not a number"});
  refused("a b 1\n\"c d 2\n", {"p.txt:2: a quote is not closed"});
  refused("a b\n", {"p.txt:1: has 2 fields (by blanks)", "word1, word2 and SimLex999"});
  refused("a\tb\tA\t1.5\n", {"p.txt:1: has 4 fields (by tab)", "word1, word2 and SimLex999"});
  refused("# only this\n\n", {"p.txt: has no pairs of words"});
  refused("word1 word2 score\n", {"p.txt: has no pairs of words"});
  refused("", {"p.txt: is empty"});
  expect_error([&] { (void)read_word_pairs(world(), files.path("missing.txt")); }, ErrorKind::input, {"missing.txt"});
}

}  // namespace
}  // namespace cairn::test::word_scores_test
