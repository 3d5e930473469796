// Scores of rankings by hand, and against the definition written down plainly.
#include "cairn/task/classification/ranking.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "cairn/base/random.hpp"
#include "test_communicator.hpp"

namespace cairn::ranking_test {
namespace {

using test::world;

struct Row {
  std::string group;
  double score;
  bool relevant, predicted;
};

// Row i on rank i mod ranks: a group's rows lie on several ranks.
StoredRanking rank_rows(const std::vector<Row>& rows) {
  RankedRows own;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<int>(i) % world().size() != world().rank()) continue;
    own.rows.push_back(static_cast<Index>(i));
    own.groups.push_back(rows[i].group);
    own.scores.push_back(rows[i].score);
    own.relevant.push_back(rows[i].relevant ? 1 : 0);
    own.predicted.push_back(rows[i].predicted ? 1 : 0);
  }
  return rank_groups(world(), "test", own);
}

// The scorer's sums, one group after the other.
StoredRanking::Score plainly(std::vector<Row> rows, bool by_score) {
  if (by_score) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
  }
  std::map<std::string, std::vector<bool>> groups;
  for (const Row& row : rows) groups[row.group].push_back(row.relevant);
  StoredRanking::Score score;
  std::vector<double> found(10, 0.0), most(10, 0.0);
  for (const auto& [name, relevant] : groups) {
    const auto all = std::count(relevant.begin(), relevant.end(), true);
    double correct = 0, precisions = 0, first = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      if (i < relevant.size() && relevant[i]) {
        precisions += ++correct / static_cast<double>(i + 1);
        if (first == 0) first = 1.0 / static_cast<double>(i + 1);
      }
      found[i] += correct;
      most[i] += static_cast<double>(std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(i) + 1, all));
    }
    if (correct > 0) score.average_precision += precisions / correct;
    score.reciprocal_rank += first;
  }
  score.average_precision /= static_cast<double>(groups.size());
  score.reciprocal_rank /= static_cast<double>(groups.size());
  for (std::size_t i = 0; i < 10; ++i) score.average_recall += found[i] / most[i] / 10;
  return score;
}

// Two threads. By score: a: good, bad, good; b has no good comment; c: ties stay in the thread's order: bad, good.
TEST(Ranking, IsThatOfAnExampleByHand) {
  const StoredRanking ranking = rank_rows({{"a", 0.1, true, false},
                                           {"b", 5.0, false, true},
                                           {"a", 2.0, true, true},
                                           {"c", 1.0, false, true},
                                           {"a", 1.5, false, false},
                                           {"c", 1.0, true, true}});
  EXPECT_EQ(ranking.groups, 3);
  EXPECT_EQ(ranking.rows, 6);
  EXPECT_DOUBLE_EQ(ranking.by_score.average_precision, ((1.0 + 2.0 / 3.0) / 2 + 0.0 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(ranking.by_score.reciprocal_rank, (1.0 + 0.0 + 0.5) / 3);
  // Found among the first i of all threads: 1, 2, 3, ...; at most 2, 3, 3, ...
  EXPECT_DOUBLE_EQ(ranking.by_score.average_recall, (1.0 / 2 + 2.0 / 3 + 8.0) / 10);
  // In the order of the threads a is good, good, bad.
  EXPECT_DOUBLE_EQ(ranking.by_order.average_precision, (1.0 + 0.0 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(ranking.by_order.average_recall, (1.0 / 2 + 3.0 / 3 + 8.0) / 10);
  EXPECT_DOUBLE_EQ(ranking.f1, 2 * 2.0 / (2 * 2 + 2 + 1));
  EXPECT_DOUBLE_EQ(ranking.accuracy, 3.0 / 6);
}

TEST(Ranking, IsWhatTheScorerComputes) {
  const Random random(3, Stream::test);
  for (std::uint64_t run = 0; run < 6; ++run) {
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < 400; ++i) {
      rows.push_back({"thread " + std::to_string(random.below(run < 3 ? 17 : 60, i, 4 * run)),
                      static_cast<double>(random.below(40, i, 4 * run + 1)),
                      random.uniform(i, 4 * run + 2) < 0.1 + 0.1 * static_cast<double>(run),
                      random.uniform(i, 4 * run + 3) < 0.5});
    }
    const StoredRanking ranking = rank_rows(rows);
    for (const auto& [found, by_score] : {std::pair(ranking.by_score, true), std::pair(ranking.by_order, false)}) {
      const StoredRanking::Score expected = plainly(rows, by_score);
      EXPECT_NEAR(found.average_precision, expected.average_precision, 1e-13);
      EXPECT_NEAR(found.average_recall, expected.average_recall, 1e-13);
      EXPECT_NEAR(found.reciprocal_rank, expected.reciprocal_rank, 1e-13);
    }
  }
}

TEST(Ranking, OfClassesTakesTheScoreOfOne) {
  // A group of four rows with classes bad and good; the last row has no label.
  const RowPartition partition(4, world().size());
  const Range own = partition.range(world().rank());
  const std::vector<std::string> classes = {"bad", "good"}, all = {"good", "bad", "good", ""};
  const std::vector<double> good = {3.0, 2.0, 1.0, 9.0};
  std::vector<Index> rows;
  std::vector<double> scores;
  std::vector<std::int32_t> predicted;
  std::vector<std::string> labels, groups;
  for (Index i = own.begin; i < own.end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows.push_back(i);
    scores.insert(scores.end(), {-good[at], good[at]});
    predicted.push_back(1);
    labels.push_back(all[at]);
    groups.emplace_back("g");
  }
  const ScoredRows scored{rows, scores, predicted, classes};
  const auto ranking = rank_classes(world(), "test", scored, "good", own.begin, labels, groups);
  ASSERT_TRUE(ranking.has_value());
  EXPECT_EQ(ranking->rows, 3);
  EXPECT_DOUBLE_EQ(ranking->by_score.average_precision, (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(ranking->f1, 0.8);
  EXPECT_FALSE(rank_classes(world(), "test", scored, "", own.begin, labels, groups).has_value());
  EXPECT_FALSE(rank_classes(world(), "test", scored, "fair", own.begin, labels, groups).has_value());
  EXPECT_FALSE(rank_classes(world(), "test", scored, "good", own.begin, labels, {}).has_value());
}

}  // namespace
}  // namespace cairn::ranking_test
