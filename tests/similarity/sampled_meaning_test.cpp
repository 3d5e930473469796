#include "cairn/similarity/sampled_meaning.hpp"

#include <gtest/gtest.h>

namespace {

using namespace cairn;

TEST(SampledMeaning, ZeroDiagonalsThatAreTheLeastLookLikeDistances) {
  EXPECT_TRUE(look_like_distances({{0, {1, 2}}, {0, {1, 3}}}));
  EXPECT_TRUE(look_like_distances({{0, {0, 2}}, {0, {0, 0}}}));        // coincident objects
  EXPECT_TRUE(look_like_distances({{3e-4, {1, 2}}, {1e-4, {1, 3}}}));  // as inner products round
  EXPECT_TRUE(look_like_distances({{0, {5}}, {0, {4}}}));
}

TEST(SampledMeaning, OtherValuesDoNot) {
  EXPECT_FALSE(look_like_distances({}));
  EXPECT_FALSE(look_like_distances({{0, {}}}));
  EXPECT_FALSE(look_like_distances({{0, {0, 0}}, {0, {0, 0}}}));
  EXPECT_FALSE(look_like_distances({{1, {0.5, 0.2}}, {1, {0.5, 0.1}}}));
  EXPECT_FALSE(look_like_distances({{0, {1, 2}}, {0.5, {1, 3}}}));    // one row has a diagonal
  EXPECT_FALSE(look_like_distances({{0, {1, -2}}, {0, {1, 3}}}));     // a value below zero
  EXPECT_FALSE(look_like_distances({{1, {0, 5000}}, {2, {0, 10}}}));  // counts that are rare on the diagonal
  EXPECT_FALSE(look_like_distances({{-1, {-2, -3}}, {-1, {-2, -4}}}));
}

TEST(SampledMeaning, AScorerIsAskedForFewPairs) {
  EXPECT_EQ(meaning_pairs(1), 0);
  EXPECT_EQ(meaning_pairs(2), 4);
  EXPECT_EQ(meaning_pairs(10), 20);
  EXPECT_EQ(meaning_pairs(1'000'000), 20);
}

}  // namespace
