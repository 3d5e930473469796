#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "landmark/function_similarity.hpp"
#include "landmark/remembering_ledger.hpp"
#include "test_communicator.hpp"

namespace cairn::farthest_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

NumberedObjects numbered(Index n) { return {RowPartition(n, world().size()), world().rank()}; }

// Gonzalez' algorithm as it is written down, with all distances at hand.
std::vector<Index> farthest_by_hand(Index n, Index count, Index first, const EntryFunction& distance) {
  std::vector<Index> landmarks{first};
  while (static_cast<Index>(landmarks.size()) < count) {
    Index best = -1;
    double farthest = -std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n; ++i) {
      if (std::ranges::find(landmarks, i) != landmarks.end()) continue;
      double nearest = std::numeric_limits<double>::infinity();
      for (const Index landmark : landmarks) nearest = std::min(nearest, distance(i, landmark));
      if (nearest > farthest) farthest = nearest, best = i;
    }
    landmarks.push_back(best);
  }
  return landmarks;
}

template <class T>
void expect_columns(const Landmarks<T>& landmarks, const FunctionSimilarity<T>& similarity) {
  ASSERT_TRUE(landmarks.columns.has_value());
  const RowBlock<T>& columns = *landmarks.columns;
  ASSERT_EQ(columns.columns(), static_cast<Index>(landmarks.indices.size()));
  EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
  for (Index x = columns.range().begin; x < columns.range().end; ++x) {
    for (std::size_t j = 0; j < landmarks.indices.size(); ++j) {
      EXPECT_EQ(columns.row(x)[j], static_cast<T>(similarity.entry(x, landmarks.indices[j]))) << x << ", " << j;
    }
  }
}

TEST(Farthest, AgreesWithBruteForceOnASimilarity) {
  constexpr Index n = 200;
  const TestPoints points(n, 3, 5);
  const FunctionSimilarity<double> similarity([points](Index i, Index j) { return points.dot(i, j); });
  const EntryFunction distance = [&](Index i, Index j) {
    return similarity.entry(i, i) + similarity.entry(j, j) - 2.0 * similarity.entry(i, j);
  };
  for (const Index count : {Index{1}, Index{16}, Index{37}}) {
    test::Context context;
    const auto landmarks = select_farthest<double>(context.execution, similarity, numbered(n), count);
    EXPECT_EQ(landmarks.indices, farthest_by_hand(n, count, landmarks.indices[0], distance));
    expect_columns(landmarks, similarity);
  }
}

TEST(Farthest, TakesADistanceAsItIs) {
  constexpr Index n = 200;
  const TestPoints points(n, 2);
  const FunctionSimilarity<double> distance(
      [points](Index i, Index j) { return std::sqrt(points.squared_distance(i, j)); }, Meaning::distance);
  test::Context context;
  const auto landmarks = select_farthest<double>(context.execution, distance, numbered(n), 30);
  EXPECT_EQ(landmarks.indices,
            farthest_by_hand(n, 30, landmarks.indices[0], [&](Index i, Index j) { return distance.entry(i, j); }));
  expect_columns(landmarks, distance);
  EXPECT_EQ(world().sum(distance.evaluations()), n * 30);
}

TEST(Farthest, CountsAColumnALandmarkAndTheDiagonal) {
  const FunctionSimilarity<float> similarity(test::rbf(TestPoints(100, 2), 0.5));
  test::Context context;
  const auto landmarks = select_farthest<float>(context.execution, similarity, numbered(100), 12);
  expect_columns(landmarks, similarity);
  EXPECT_EQ(world().sum(similarity.evaluations()), 100 * 12 + 100);
  Index counted = 0;
  for (const auto& phase : context.phases.summarize(world())) counted += phase.evaluations;
  EXPECT_EQ(counted, 100 * 12 + 100);
}

TEST(Farthest, TiesGoToTheLowestIndexAndNoObjectIsTakenTwice) {
  // Objects stand on a line at i / 10: ten copies each of 0, 1, 2, 3, 4.
  const FunctionSimilarity<double> distance([](Index i, Index j) { return std::abs(double(i / 10 - j / 10)); },
                                            Meaning::distance);
  test::Context context;
  const auto landmarks = select_farthest<double>(context.execution, distance, numbered(50), 50);
  EXPECT_EQ(landmarks.indices,
            farthest_by_hand(50, 50, landmarks.indices[0], [&](Index i, Index j) { return distance.entry(i, j); }));
  auto sorted = landmarks.indices;
  std::ranges::sort(sorted);
  for (Index i = 0; i < 50; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(Farthest, LandmarksDoNotDependOnThreadsOrOnARestart) {
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(500, 2), 0.5));
  test::Context context;
  const auto expected = select_farthest<double>(context.execution, similarity, numbered(500), 20);
  Phases phases;
  test::RememberingLedger ledger;
  const Execution execution{world(), phases, ledger, 2, 0};
  EXPECT_EQ(select_farthest<double>(execution, similarity, numbered(500), 20).indices, expected.indices);
  const Index before = similarity.evaluations();
  const auto again = select_farthest<double>(execution, similarity, numbered(500), 20);
  EXPECT_EQ(similarity.evaluations(), before) << "what the ledger has was evaluated again";
  EXPECT_EQ(again.indices, expected.indices);
  expect_columns(again, similarity);
}

TEST(Farthest, AFailingEntryIsTheSameErrorOnEveryRank) {
  const FunctionSimilarity<double> similarity([](Index i, Index j) -> double {
    if (i != j && (i == 37 || j == 37)) throw Error(ErrorKind::numeric, "object 37 is bad");
    return i == j ? 1.0 : 0.5;
  });
  test::Context context;
  try {
    static_cast<void>(select_farthest<double>(context.execution, similarity, numbered(100), 5));
    ADD_FAILURE() << "the error was lost";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "object 37 is bad");
  }
}

TEST(Farthest, RefusesMoreLandmarksThanObjects) {
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(10, 2), 0.5));
  test::Context context;
  EXPECT_THROW(static_cast<void>(select_farthest<double>(context.execution, similarity, numbered(10), 11)), Error);
}

}  // namespace
}  // namespace cairn::farthest_test
