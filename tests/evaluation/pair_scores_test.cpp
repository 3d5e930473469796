#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cairn/evaluation/correlation.hpp"
#include "cairn/evaluation/threshold.hpp"

namespace cairn::pair_scores_test {
namespace {

using Values = std::vector<double>;

// scipy.stats.pearsonr and spearmanr of the same lists.
TEST(Correlation, IsThatOfSciPy) {
  const Values a = {1, 2, 2, 3, 7, 7, 7, -4.5}, b = {0.5, 4, 4, 1, 9, 2, 2, 3};
  EXPECT_NEAR(0.25475834151138105, pearson(a, b).value(), 1e-14);
  EXPECT_NEAR(0.13666969125436726, spearman(a, b).value(), 1e-14);
  const Values ranks = {2, 3.5, 3.5, 5, 7, 7, 7, 1};
  EXPECT_EQ(ranks, mean_ranks(a));
}

TEST(Correlation, OfAListThatDoesNotVaryIsUndefined) {
  const Values a = {1, 2, 3}, same = {0.1, 0.1, 0.1};
  EXPECT_FALSE(pearson(a, same));
  EXPECT_FALSE(spearman(same, a));
  EXPECT_FALSE(pearson(Values{}, Values{}));
  EXPECT_DOUBLE_EQ(-1.0, spearman(a, Values{5, 4, -100}).value());
}

TEST(Threshold, CountsByHand) {
  const Values values = {.9, .8, .8, .3, .1};
  const std::vector<char> positive = {1, 0, 1, 1, 0};
  const BinaryCounts counts = count_at(values, positive, .5);
  EXPECT_EQ(2, counts.true_positive);
  EXPECT_EQ(1, counts.false_positive);
  EXPECT_EQ(1, counts.false_negative);
  EXPECT_EQ(1, counts.true_negative);
  EXPECT_DOUBLE_EQ(4.0 / 6, counts.f1());
  EXPECT_DOUBLE_EQ(.6, counts.accuracy());
  EXPECT_DOUBLE_EQ(.2, best_threshold(values, positive, ThresholdGoal::f1));
  EXPECT_DOUBLE_EQ(.2, best_threshold(values, positive, ThresholdGoal::accuracy));
}

TEST(Threshold, TakesAllOrNoneWhereThatIsBest) {
  const Values values = {1, 2, 3};
  EXPECT_EQ(std::numeric_limits<double>::infinity(),
            best_threshold(values, std::vector<char>{0, 0, 0}, ThresholdGoal::accuracy));
  EXPECT_EQ(-std::numeric_limits<double>::infinity(),
            best_threshold(values, std::vector<char>{1, 0, 1}, ThresholdGoal::f1));
  EXPECT_EQ(0.0, count_at(values, std::vector<char>{0, 0, 0}, 9).f1());
}

TEST(Threshold, TellsNeighboringNumbersApart) {
  for (const double lower : {1.0, std::nextafter(1.0, 2.0), std::numeric_limits<double>::denorm_min()}) {
    const Values values = {lower, std::nextafter(lower, 2.0)};
    const std::vector<char> positive = {0, 1};
    EXPECT_EQ(1.0, count_at(values, positive, best_threshold(values, positive, ThresholdGoal::accuracy)).accuracy());
  }
}

// Every threshold that tells values apart, tried one after another.
TEST(Threshold, IsTheBestOfAll) {
  constexpr unsigned seed = 77;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int repeat = 0; repeat < 100; ++repeat) {
    Values values;
    std::vector<char> positive;
    for (int i = 0; i < 25; ++i) {
      values.push_back(static_cast<double>(random() % 12));
      positive.push_back(random() % 20 < 6 + static_cast<unsigned>(values.back()) ? 1 : 0);
    }
    double best_f1 = 0, best_accuracy = 0;
    for (double t = -1; t < 14; t += .5) {
      best_f1 = std::max(best_f1, count_at(values, positive, t).f1());
      best_accuracy = std::max(best_accuracy, count_at(values, positive, t).accuracy());
    }
    EXPECT_EQ(best_f1, count_at(values, positive, best_threshold(values, positive, ThresholdGoal::f1)).f1());
    EXPECT_EQ(best_accuracy,
              count_at(values, positive, best_threshold(values, positive, ThresholdGoal::accuracy)).accuracy());
  }
}

}  // namespace
}  // namespace cairn::pair_scores_test
