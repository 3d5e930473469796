#include "cairn/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cairn/base/error.hpp"

namespace cairn::random_test {
namespace {

// Known answer of Philox4x64-10 for counter and key 0, from the Random123 distribution (kat_vectors).
TEST(Random, IsPhilox) { EXPECT_EQ(Random(0, static_cast<Stream>(0)).bits(0, 0), 0x16554d9eca36314cULL); }

TEST(Random, AddressesAreIndependentOfEachOther) {
  const Random random(7, Stream::test);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100; ++i)
    for (std::uint64_t j = 0; j < 100; ++j) seen.insert(random.bits(i, j));
  for (std::uint64_t i = 0; i < 100; ++i) seen.insert(Random(8, Stream::test).bits(i));
  for (std::uint64_t i = 0; i < 100; ++i) seen.insert(Random(7, Stream::probe).bits(i));
  EXPECT_EQ(seen.size(), 10200U);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  const Random random(3, Stream::test);
  constexpr int count = 100000;
  double uniform = 0.0, normal = 0.0, square = 0.0, fourth = 0.0;
  for (std::uint64_t i = 0; i < count; ++i) {
    uniform += random.uniform(i);
    const double x = random.normal(i, 1);
    normal += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(uniform / count, 0.5, 4 / std::sqrt(12.0 * count));
  EXPECT_NEAR(normal / count, 0.0, 4 / std::sqrt(1.0 * count));
  EXPECT_NEAR(square / count, 1.0, 4 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth / count, 3.0, 4 * std::sqrt(96.0 / count));
}

TEST(Random, BelowIsUniform) {
  const Random random(11, Stream::test);
  std::vector<int> counts(7, 0);
  for (std::uint64_t i = 0; i < 70000; ++i) ++counts[random.below(7, i)];
  double chi_square = 0.0;
  for (const int c : counts) chi_square += (c - 10000.0) * (c - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, p = 0.001
}

TEST(SampleWithoutReplacement, IsDistinctInRangeAndNested) {
  const Random random(5, Stream::landmarks);
  const std::vector<Index> many = sample_without_replacement(1000, 300, random);
  const std::vector<Index> few = sample_without_replacement(1000, 100, random);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_EQ(std::set<Index>(many.begin(), many.end()).size(), 300U);
  EXPECT_GE(*std::min_element(many.begin(), many.end()), 0);
  EXPECT_LT(*std::max_element(many.begin(), many.end()), 1000);
}

TEST(SampleWithoutReplacement, ThePopulationWholeIsAPermutation) {
  std::vector<Index> all = sample_without_replacement(50, 50, Random(1, Stream::test));
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 50; ++i) EXPECT_EQ(all[i], i);
}

TEST(SampleWithoutReplacement, EveryItemIsEquallyLikely) {
  std::vector<int> counts(20, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const Index i : sample_without_replacement(20, 5, Random(seed, Stream::test))) ++counts[i];
  }
  for (const int c : counts) EXPECT_NEAR(c, 1000, 5 * std::sqrt(750.0));
}

TEST(SampleWithoutReplacement, MoreThanThereAreIsAnError) {
  EXPECT_THROW((void)sample_without_replacement(3, 4, Random(0, Stream::test)), Error);
}

}  // namespace
}  // namespace cairn::random_test
