#include "cairn/evaluation/cluster_score.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace cairn::cluster_score_test {
namespace {

// Objects are letters; clusters are words: "a bc def".
std::vector<Index> clusters(const std::string& words) {
  std::vector<Index> of(128, -1);
  Index number = 0;
  for (const char letter : words) {
    if (letter == ' ') {
      ++number;
    } else {
      of[letter] = number;
    }
  }
  return of;
}

ClusterScores score(const std::string& gold, const std::string& found) {
  return score_clusters(clusters(gold), clusters(found));
}

struct Case {
  std::string gold, found;
  RecallPrecision muc, b_cubed, ceaf_e;
};

void expect_near(const RecallPrecision& expected, const RecallPrecision& found, double tolerance) {
  EXPECT_NEAR(expected.recall, found.recall, tolerance);
  EXPECT_NEAR(expected.precision, found.precision, tolerance);
}

// The test cases of the reference scorer (v8.01) and the values that it publishes for them; capital letters are other
// mentions than small ones.
TEST(ClusterScore, IsThatOfTheReferenceScorer) {
  const std::string key = "a bc def";
  const std::vector<Case> cases = {
      {key, "a bc def", {1, 1}, {1, 1}, {1, 1}},
      {key, "a de", {1.0 / 3, 1}, {(7.0 / 3) / 6, 1}, {.6, .9}},
      {key, "a bcx defy z", {1, 3.0 / 5}, {1, (4 + 7.0 / 12) / 9}, {.88571, .66429}},
      {key, "a bcx dy z", {1.0 / 3, 1.0 / 3}, {(3 + 1.0 / 3) / 6, (1 + 4.0 / 3 + .5) / 7}, {.73333, .55}},
      {key, "a bcxB dy z", {1.0 / 3, 1.0 / 4}, {(3 + 1.0 / 3) / 6, 2.5 / 8}, {.68889, .51667}},
      {key, "a bcx dy Bz", {1.0 / 3, 1.0 / 4}, {(10.0 / 3) / 6, (1 + 4.0 / 3 + .5) / 8}, {.73333, .55}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.found);
    const ClusterScores found = score(one.gold, one.found);
    expect_near(one.muc, found.muc, 1e-12);
    expect_near(one.b_cubed, found.b_cubed, 1e-12);
    expect_near(one.ceaf_e, found.ceaf_e, 1e-5);
  }
}

// Its cases of singletons and of one cluster for all, with mentions that are missed or spurious.
TEST(ClusterScore, CountsSingletonsAsTheReferenceScorerDoes) {
  const std::string key = "a bc def";
  const std::vector<Case> cases = {
      {key, "a b c d e f", {0, 0}, {3.0 / 6, 1}, {}},
      {key, "abcdef", {1, 3.0 / 5}, {1, (1.0 / 6 + 2 * 2.0 / 6 + 3 * 3.0 / 6) / 6}, {}},
      {key, "a b d e x y z", {0, 0}, {(1 + .5 + 2.0 / 3) / 6, 4.0 / 7}, {}},
      {key, "abdexyz", {1.0 / 3, 1.0 / 6}, {(1 + .5 + 2 * 2.0 / 3) / 6, (1.0 / 7 + 1.0 / 7 + 2 * 2.0 / 7) / 7}, {}},
      // Bagga and Baldwin 1998
      {"12345 67 89abc", "12345 6789abc", {1, 9.0 / 10}, {1, 16.0 / 21}, {}},
      {"12345 67 89abc", "1234589abc 67", {1, 9.0 / 10}, {1, 7.0 / 12}, {}},
      // Vilain et al. 1995
      {"abcd", "ab cd", {2.0 / 3, 1}, {.5, 1}, {}},
      {"ab cd", "abcd", {1, 2.0 / 3}, {1, .5}, {}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.found);
    const ClusterScores found = score(one.gold, one.found);
    expect_near(one.muc, found.muc, 1e-12);
    expect_near(one.b_cubed, found.b_cubed, 1e-12);
  }
}

// The worked example of Pradhan et al. 2014, section 3: values to two digits.
TEST(ClusterScore, IsThatOfTheWorkedExample) {
  const ClusterScores found = score("abc defg", "ab cd fghi");
  expect_near({.40, .40}, found.muc, .005);
  expect_near({.42, .50}, found.b_cubed, .005);
  expect_near({.65, .43}, found.ceaf_e, .005);
  EXPECT_NEAR(.40, found.muc.f1(), .005);
  EXPECT_NEAR(.455, found.b_cubed.f1(), .005);
  EXPECT_NEAR(.52, found.ceaf_e.f1(), .005);
  EXPECT_NEAR((.40 + .4545 + .52) / 3, found.conll_f1(), .002);
}

TEST(ClusterScore, OfNothingIsZero) {
  const ClusterScores found = score("", "ab c");
  expect_near({0, 0}, found.muc, 0);
  expect_near({0, 0}, found.b_cubed, 0);
  expect_near({0, 0}, found.ceaf_e, 0);
  EXPECT_EQ(0.0, found.conll_f1());
}

// All one-to-one alignments of up to six clusters, one after another.
TEST(ClusterScore, AlignsClustersAsWellAsCanBe) {
  constexpr unsigned seed = 20141;
  std::mt19937 random(seed);
  SCOPED_TRACE(seed);
  for (int repeat = 0; repeat < 200; ++repeat) {
    constexpr std::size_t count = 6;
    std::vector<Index> gold(20), found(20);
    for (std::size_t i = 0; i < gold.size(); ++i) {
      gold[i] = static_cast<Index>(random() % count);
      found[i] = random() % 4 == 0 ? static_cast<Index>(random() % count) : (gold[i] * 5 + 1) % 6;
    }
    const auto size = [](const std::vector<Index>& of, Index c) { return std::count(of.begin(), of.end(), c); };
    const auto phi = [&](Index g, Index f) {
      Index common = 0;
      for (std::size_t i = 0; i < gold.size(); ++i) common += gold[i] == g && found[i] == f ? 1 : 0;
      const auto both = size(gold, g) + size(found, f);
      return both > 0 ? 2.0 * static_cast<double>(common) / static_cast<double>(both) : 0.0;
    };
    std::vector<Index> order(count);
    std::iota(order.begin(), order.end(), Index{0});
    double best = 0.0;
    do {
      double sum = 0.0;
      for (std::size_t g = 0; g < count; ++g) sum += phi(static_cast<Index>(g), order[g]);
      best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    Index clusters_of_gold = 0;
    for (Index c = 0; c < static_cast<Index>(count); ++c) clusters_of_gold += size(gold, c) > 0 ? 1 : 0;
    EXPECT_NEAR(best / static_cast<double>(clusters_of_gold), score_clusters(gold, found).ceaf_e.recall, 1e-11);
  }
}

}  // namespace
}  // namespace cairn::cluster_score_test
