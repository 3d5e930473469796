#include "cairn/task/classification/neighbor_votes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::neighbor_votes_test {
namespace {

using test::FunctionSimilarity;
using test::world;
using testing::DoubleNear;
using testing::ElementsAre;

const LabelledNeighbors labelled{{2, 5, 7, 9}, {1, 0, 0, 2}};

struct Vote {
  std::int32_t best = 0;
  std::vector<double> scores = std::vector<double>(3, -1.0);
};

Vote of(std::vector<Neighbor> neighbors, const NeighborVoting& voting) {
  Vote result;
  result.best = vote(neighbors, labelled, voting, result.scores);
  return result;
}

TEST(NeighborVotes, AreSharesOfTheNearest) {
  const std::vector<Neighbor> neighbors = {{2, 1.0}, {5, 2.0}, {7, 4.0}, {9, 8.0}};
  EXPECT_THAT(of(neighbors, {.k = 1}).scores, ElementsAre(0.0, 1.0, 0.0));
  const Vote two = of(neighbors, {.k = 2});
  EXPECT_THAT(two.scores, ElementsAre(0.5, 0.5, 0.0));
  EXPECT_EQ(1, two.best) << "the nearer one wins";
  EXPECT_EQ(0, of(neighbors, {.k = 3}).best);
  EXPECT_THAT(of(neighbors, {.k = 100}).scores, ElementsAre(0.5, 0.25, 0.25));
  EXPECT_THAT(of({}, {.k = 3}).scores, ElementsAre(0.0, 0.0, 0.0));
}

TEST(NeighborVotes, CountByDistanceOrSimilarity) {
  const NeighborVoting far{.k = 4, .by_distance = true},
      near{.k = 4, .by_distance = true, .meaning = Meaning::similarity};
  const std::vector<Neighbor> distances = {{2, 1.0}, {5, 2.0}, {7, 4.0}, {9, 4.0}};
  EXPECT_THAT(of(distances, far).scores,
              ElementsAre(DoubleNear(0.375, 1e-12), DoubleNear(0.5, 1e-12), DoubleNear(0.125, 1e-12)));
  const std::vector<Neighbor> same = {{9, 0.0}, {5, 0.0}, {7, 1e-9}, {2, 1.0}};
  EXPECT_THAT(of(same, far).scores, ElementsAre(0.5, 0.0, 0.5));
  const std::vector<Neighbor> similarities = {{2, 0.75}, {5, 0.25}, {7, -3.0}};
  EXPECT_THAT(of(similarities, near).scores, ElementsAre(0.25, 0.75, 0.0));
  const std::vector<Neighbor> none = {{2, 0.0}, {5, -1.0}};
  EXPECT_THAT(of(none, near).scores, ElementsAre(0.5, 0.5, 0.0));
}

// All entries, against the definition; rows of one group are not compared, and some rows are no targets.
TEST(NeighborsByEntries, AreThoseOfTheDefinition) {
  constexpr Index n = 70;
  const test::TestPoints points(n / 2, 2);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  for (const Meaning meaning : {Meaning::similarity, Meaning::distance}) {
    const double sign = meaning == Meaning::distance ? 1.0 : -1.0;
    const auto entry = [&](Index i, Index j) { return sign * std::sqrt(points.squared_distance(i / 2, j / 2)); };
    const FunctionSimilarity<double> similarity(entry, meaning);
    SearchSide queries{objects, {}, {}}, targets{objects, {}, {}};
    for (Index i = objects.range().begin; i < objects.range().end; ++i) {
      if (i % 3 == 0) queries.rows.push_back(i), queries.groups.push_back(i % 4);
      if (i % 2 == 0 || i > 60) targets.rows.push_back(i), targets.groups.push_back(i % 4);
    }
    test::Context context;
    const FoundNeighbors found = find_neighbors(context.execution, similarity, queries, targets, 9);
    ASSERT_EQ(queries.rows.size() + 1, found.starts.size());
    for (std::size_t q = 0; q < queries.rows.size(); ++q) {
      const Index i = queries.rows[q];
      std::vector<Index> others;
      for (Index j = 0; j < n; ++j) {
        if ((j % 2 == 0 || j > 60) && j % 4 != i % 4) others.push_back(j);
      }
      std::ranges::stable_sort(others, {}, [&](Index j) { return sign * entry(i, j); });
      const auto list = found.of(static_cast<Index>(q));
      ASSERT_EQ(9U, list.size());
      for (std::size_t k = 0; k < list.size(); ++k) {
        EXPECT_EQ(others[k], list[k].object) << i;
        EXPECT_EQ(entry(i, others[k]), list[k].value);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::neighbor_votes_test
