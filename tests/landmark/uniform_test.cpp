#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "test_communicator.hpp"

namespace cairn::uniform_test {
namespace {

using test::world;

Landmarks<double> uniform(Index n, Index count, std::uint64_t seed) {
  test::Context context(world(), seed);
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  return select_uniform<double>(context.execution, objects, count);
}

TEST(Uniform, LandmarksAreDistinctAndInRange) {
  const auto landmarks = uniform(1000, 400, 1);
  ASSERT_EQ(landmarks.indices.size(), 400u);
  EXPECT_EQ(std::set<Index>(landmarks.indices.begin(), landmarks.indices.end()).size(), 400u);
  EXPECT_THAT(landmarks.indices, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(1000))));
  EXPECT_EQ(landmarks.objects->ids, landmarks.indices);
  EXPECT_FALSE(landmarks.columns.has_value());
}

TEST(Uniform, AllObjectsMayBeLandmarks) {
  auto landmarks = uniform(7, 7, 1);
  std::ranges::sort(landmarks.indices);
  EXPECT_THAT(landmarks.indices, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(Uniform, TheFirstOfManyLandmarksAreThoseOfASmallerCount) {
  const auto few = uniform(1000, 50, 3);
  const auto many = uniform(1000, 400, 3);
  EXPECT_TRUE(std::equal(few.indices.begin(), few.indices.end(), many.indices.begin()));
  EXPECT_NE(few.indices, uniform(1000, 50, 4).indices);
}

TEST(Uniform, LandmarksDoNotDependOnTheNumberOfRanks) {
  const auto expected = sample_without_replacement(1000, 20, Random(5, Stream::landmarks));
  EXPECT_EQ(uniform(1000, 20, 5).indices, expected);
}

TEST(Uniform, EveryObjectIsEquallyOftenALandmark) {
  constexpr Index n = 20;
  constexpr Index count = 5;
  constexpr std::uint64_t seeds = 400;
  std::vector<double> drawn(n, 0.0);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const Index i : uniform(n, count, seed).indices) drawn[i] += 1.0;
  }
  const double expected = static_cast<double>(seeds * count) / n;
  double chi_square = 0.0;
  for (const double times : drawn) chi_square += (times - expected) * (times - expected) / expected;
  chi_square *= static_cast<double>(n - 1) / (n - count);  // drawing without replacement spreads less
  EXPECT_LT(chi_square, 43.8) << "seeds 0 to " << seeds - 1 << "; 43.8 is exceeded with probability 0.001";
  EXPECT_GT(chi_square, 5.4) << "seeds 0 to " << seeds - 1 << "; too even to be random";
}

TEST(Uniform, CountsThatCannotBeAreUsageErrorsThatNameTheKey) {
  for (const Index count : {Index{-1}, Index{0}, Index{11}}) {
    try {
      static_cast<void>(uniform(10, count, 1));
      ADD_FAILURE() << count << " landmarks of 10 objects were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), testing::HasSubstr("parameter count is " + std::to_string(count)));
      EXPECT_THAT(error.what(), testing::HasSubstr("10"));
    }
  }
}

}  // namespace
}  // namespace cairn::uniform_test
