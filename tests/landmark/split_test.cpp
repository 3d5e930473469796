// Landmarks among the objects of one split.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "cairn/base/random.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "expected_errors.hpp"
#include "function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::split_test {
namespace {

using test::world;

constexpr Index n = 90;

bool is_train(Index row) { return row % 3 != 1 && row < 70; }

class SplitObjects final : public NumberedObjects {
 public:
  SplitObjects() : NumberedObjects(RowPartition(n, world().size()), world().rank()) {
    ObjectTexts texts;
    for (Index i = range().begin; i < range().end; ++i) texts.splits.emplace_back(is_train(i) ? "train" : "test");
    set_texts(std::move(texts));
  }
};

double kernel(const test::TestPoints& points, Index i, Index j) {
  return std::exp(-0.1 * (points.dot(i, i) + points.dot(j, j) - 2.0 * points.dot(i, j)));
}

std::vector<Index> select(const LandmarkSelection& selection, const ObjectSet& objects, Index count,
                          const std::string& split) {
  test::Context context(world(), 5);
  const test::TestPoints points(n, 3);
  const test::FunctionSimilarity<double> similarity([&](Index i, Index j) { return kernel(points, i, j); });
  std::vector<std::pair<std::string, std::string>> given;
  if (!split.empty()) given.emplace_back("split", split);
  const Values values(selection.parameters, given);
  return selection
      .run_double(
          {.execution = context.execution, .objects = objects, .entries = similarity, .count = count, .values = values})
      .indices;
}

const std::vector<const LandmarkSelection*> selections = {&uniform_selection(), &farthest_selection(),
                                                          &rpcholesky_selection()};

TEST(Split, LandmarksAreOfOneSplitAlone) {
  const SplitObjects objects;
  for (const LandmarkSelection* selection : selections) {
    std::vector<Index> landmarks = select(*selection, objects, 30, "train");
    EXPECT_THAT(landmarks, testing::Each(testing::Truly(is_train))) << selection->name;
    std::ranges::sort(landmarks);
    EXPECT_EQ(std::ranges::adjacent_find(landmarks), landmarks.end());
    EXPECT_EQ(landmarks.size(), 30U);
    EXPECT_TRUE(std::ranges::any_of(select(*selection, objects, 30, ""), [](Index i) { return !is_train(i); }));
  }
}

// All of them: each object of the split once.
TEST(Split, AllObjectsOfASplitMayBeLandmarks) {
  const SplitObjects objects;
  std::vector<Index> expected;
  for (Index i = 0; i < n; ++i) {
    if (is_train(i)) expected.push_back(i);
  }
  for (const LandmarkSelection* selection : {&uniform_selection(), &farthest_selection()}) {
    std::vector<Index> landmarks = select(*selection, objects, std::ssize(expected), "train");
    std::ranges::sort(landmarks);
    EXPECT_EQ(landmarks, expected);
  }
}

// As of the set that has these objects alone.
TEST(Split, IsDrawnAsFromASetOfItsObjects) {
  std::vector<Index> train;
  for (Index i = 0; i < n; ++i) {
    if (is_train(i)) train.push_back(i);
  }
  std::vector<Index> expected;
  for (const Index place : sample_without_replacement(std::ssize(train), 12, Random(5, Stream::landmarks))) {
    expected.push_back(train[place]);
  }
  EXPECT_EQ(select(uniform_selection(), SplitObjects(), 12, "train"), expected);
  // The farthest of the split from those before it, by hand.
  const test::TestPoints points(n, 3);
  const std::vector<Index> found = select(farthest_selection(), SplitObjects(), 8, "train");
  for (std::size_t k = 1; k < found.size(); ++k) {
    double best = -1.0;
    Index farthest = -1;
    for (const Index i : train) {
      double nearest = 10.0;
      for (std::size_t a = 0; a < k; ++a) nearest = std::min(nearest, 2.0 - 2.0 * kernel(points, i, found[a]));
      if (nearest > best + 1e-12) best = nearest, farthest = i;
    }
    EXPECT_EQ(found[k], farthest);
  }
}

TEST(Split, RefusesWhatIsNotThere) {
  const SplitObjects objects;
  const NumberedObjects without(RowPartition(n, world().size()), world().rank());
  for (const LandmarkSelection* selection : selections) {
    test::expect_error([&] { (void)select(*selection, objects, 5, "dev"); }, ErrorKind::input,
                       {"split = dev", "no object is of this split"});
    test::expect_error([&] { (void)select(*selection, without, 5, "train"); }, ErrorKind::input,
                       {"split = train", "the data have no splits"});
    test::expect_error([&] { (void)select(*selection, objects, 60, "train"); }, ErrorKind::usage,
                       {"count is 60", "the split 'train', 47"});
  }
}

}  // namespace
}  // namespace cairn::split_test
