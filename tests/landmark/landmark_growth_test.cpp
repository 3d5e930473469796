// Landmarks whose number grows.
#include "cairn/landmark/landmark_growth.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "../similarity/shared_graphs.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::landmark_growth_test {
namespace {

using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

constexpr Index n = 320;

// A selection grows as a run lets it.
struct Growing {
  explicit Growing(const LandmarkSelection& selection, const test::EntryFunction& entry,
                   Meaning meaning = Meaning::similarity)
      : similarity(entry, meaning), values(selection.parameters) {
    growth = selection.grow_double(
        {.execution = context.execution, .objects = objects, .entries = similarity, .count = 0, .values = values});
  }

  // The landmarks when there are as many as `counts`, one after the other.
  Landmarks<double> through(std::initializer_list<Index> counts) {
    for (const Index count : counts) {
      if (growth->count() > 0) growth->give_back(std::move(*growth->take().columns));
      EXPECT_TRUE(growth->grow(count));
      EXPECT_EQ(growth->count(), count);
    }
    return growth->take();
  }

  test::Context context{world(), 5};
  NumberedObjects objects{RowPartition(n, world().size()), world().rank()};
  FunctionSimilarity<double> similarity;
  Values values;
  std::unique_ptr<LandmarkGrowth<double>> growth;
};

class Growth : public testing::TestWithParam<const LandmarkSelection*> {};
INSTANTIATE_TEST_SUITE_P(Selections, Growth,
                         testing::Values(&uniform_selection(), &farthest_selection(), &rpcholesky_selection()),
                         [](const auto& test) { return test.param->name; });

TEST_P(Growth, GivesColumnsOfDistinctLandmarks) {
  const test::EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  Growing growing(*GetParam(), entry);
  const Landmarks<double> landmarks = growing.through({7, 8, 30});
  ASSERT_EQ(landmarks.columns->columns(), 30);
  EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
  for (Index x = landmarks.columns->range().begin; x < landmarks.columns->range().end; ++x) {
    for (std::size_t j = 0; j < landmarks.indices.size(); ++j) {
      ASSERT_EQ(landmarks.columns->row(x)[j], entry(x, landmarks.indices[j]));
    }
  }
  std::vector<Index> sorted = landmarks.indices;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST_P(Growth, EvaluatesNoColumnTwice) {
  Growing growing(*GetParam(), test::rbf(TestPoints(n, 3), 0.3));
  static_cast<void>(growing.through({10}));
  Growing slowly(*GetParam(), test::rbf(TestPoints(n, 3), 0.3));
  const auto landmarks = slowly.through({10, 12, 20, 40});
  const Index evaluations = world().sum(slowly.similarity.evaluations());
  const bool diagonal = GetParam() != &uniform_selection(), pivots = GetParam() == &rpcholesky_selection();
  EXPECT_GE(evaluations, n * 40 + (diagonal ? n : 0));
  EXPECT_LE(evaluations, n * 40 + (diagonal ? n : 0) + (pivots ? n * 8 : 0));  // entries among proposals
}

TEST(Growth, OfUniformLandmarksIsTheSelectionOfAsMany) {
  Growing growing(uniform_selection(), test::rbf(TestPoints(n, 3), 0.3));
  EXPECT_EQ(growing.through({5, 17, 40}).indices,
            select_uniform<double>(growing.context.execution, growing.objects, 40).indices);
}

TEST(Growth, OfFarthestLandmarksIsTheSelectionOfAsMany) {
  const test::EntryFunction distance = [points = TestPoints(n, 3)](Index i, Index j) {
    return std::sqrt(points.squared_distance(i, j));
  };
  Growing growing(farthest_selection(), distance, Meaning::distance);
  EXPECT_EQ(growing.through({5, 17, 18, 40}).indices,
            select_farthest(growing.context.execution, growing.similarity, growing.objects, 40).indices);
}

TEST(Growth, OfFarthestSourcesIsTheSelectionOfAsMany) {
  const test::Context context(world(), 5);
  constexpr Index vertices = 225;
  const NumberedObjects objects(RowPartition(vertices, world().size()), world().rank());
  const auto paths = make_path_length(world(), test::share(vertices, test::grid_graph(15, 0.3, 1, 7)), "breadth-first");
  const SourceEntries<double> entries(*paths);
  const Values values(farthest_selection().parameters);
  const auto growth = farthest_selection().grow_double({.execution = context.execution,
                                                        .objects = objects,
                                                        .entries = entries,
                                                        .rows = paths.get(),
                                                        .count = 0,
                                                        .values = values});
  for (const Index count : {3, 70, 71, 200}) {
    EXPECT_TRUE(growth->grow(count));
    EXPECT_EQ(growth->count(), count);
  }
  const auto landmarks = growth->take();
  EXPECT_EQ(landmarks.indices, select_farthest<double>(context.execution, *paths, objects, 200).indices);
  EXPECT_EQ(landmarks.columns->columns(), 200);
}

TEST(Growth, EndsWhereKIsKnown) {
  const TestPoints points(n, 4);
  Growing growing(rpcholesky_selection(), [&](Index i, Index j) { return points.dot(i, j); });
  EXPECT_TRUE(growing.growth->grow(3));
  EXPECT_FALSE(growing.growth->grow(9));
  EXPECT_EQ(growing.growth->count(), 4);
  const auto landmarks = growing.growth->take();
  EXPECT_EQ(landmarks.columns->columns(), 4);
  EXPECT_EQ(landmarks.indices.size(), 4U);
}

}  // namespace
}  // namespace cairn::landmark_growth_test
