#include "cairn/landmark/weighted_draws.hpp"

#include <gmock/gmock.h>

#include "test_communicator.hpp"

namespace cairn::weighted_draws_test {
namespace {

using test::world;

// This rank's part of weight(0) ... weight(n - 1), and draws by them.
template <class Weight>
std::vector<Index> draws(Index n, Index count, std::uint64_t seed, Weight weight) {
  const RowPartition partition(n, world().size());
  std::vector<double> own;
  for (Index x = partition.range(world().rank()).begin; x < partition.range(world().rank()).end; ++x) {
    own.push_back(weight(x));
  }
  return draw_by_weight(world(), partition, own, count, Random(seed, Stream::test), 0);
}

TEST(DrawByWeight, AgreesWithTheCumulativeSumOnOneRank) {
  constexpr Index n = 100;
  const auto weight = [](Index x) { return x % 3 == 0 ? 0.0 : static_cast<double>(x); };
  const auto drawn = draws(n, 200, 2, weight);
  ASSERT_EQ(drawn.size(), 200u);
  double total = 0.0;
  for (Index x = 0; x < n; ++x) total += weight(x);
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    double target = Random(2, Stream::test).uniform(a) * total;
    Index expected = 0;
    while (target >= weight(expected)) target -= weight(expected++);  // integers: no rounding but the target's
    EXPECT_EQ(drawn[a], expected) << a;
  }
}

TEST(DrawByWeight, FrequenciesAreProportionalToWeights) {
  constexpr Index n = 40;  // three units: on two ranks and more they are apart
  constexpr Index count = 20'000;
  const auto weight = [](Index x) { return 1.0 + static_cast<double>(x % 5); };
  std::vector<double> times(n, 0.0);
  for (const Index x : draws(n, count, 3, weight)) times[x] += 1.0;
  double chi_square = 0.0;
  for (Index x = 0; x < n; ++x) {
    const double expected = count * weight(x) / 120.0;
    chi_square += (times[x] - expected) * (times[x] - expected) / expected;
  }
  EXPECT_LT(chi_square, 72.1) << "seed 3; 72.1 is exceeded with probability 0.001";
}

TEST(DrawByWeight, OneRowWithAWeightIsAlwaysDrawn) {
  for (const Index only : {Index{0}, Index{17}, Index{63}}) {
    EXPECT_THAT(draws(64, 10, 1, [only](Index x) { return x == only ? 1e-300 : 0.0; }), testing::Each(only));
  }
}

TEST(DrawByWeight, NothingIsDrawnWhereNothingHasAWeight) {
  EXPECT_TRUE(draws(64, 10, 1, [](Index) { return 0.0; }).empty());
}

}  // namespace
}  // namespace cairn::weighted_draws_test
