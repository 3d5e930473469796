// Most entries of P are near zero on the Swiss roll: figure 5 of Turek and Huth (2022), supplement.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/points/generator.hpp"
#include "cairn/operator/neighbor_operator.hpp"
#include "test_communicator.hpp"

namespace cairn::test::swiss_roll_test {
namespace {

constexpr Index points = 5000;
constexpr Index landmarks = 100;
constexpr int draws = 10;

// The share of P's n l entries in [-0.00495, 0.00495], for one draw of points and landmarks.
double share_near_zero(const NeighborParameters& parameters, std::uint64_t seed) {
  const Context context(world(), seed);
  const PointSet<double> roll(
      generate_points<double>("swiss-roll", RowPartition(points, world().size()), world().rank(), 3, seed),
      world().rank(), {});
  const BiharmonicOperator op = neighbor_operator(context.execution, roll, parameters);
  const std::vector<Index> chosen = sample_without_replacement(points, landmarks, Random(seed, Stream::test));
  InterpolationReport report;
  const SparseRows<double> p = interpolation(context.execution, op, chosen, {.solver = "direct", .p_row = 0}, report);
  Index larger = 0;
  for (const double value : p.values())
    if (std::abs(value) > 0.00495) ++larger;
  return 1.0 - static_cast<double>(world().sum(larger)) / static_cast<double>(points * landmarks);
}

// The paper says 82.75 %.
TEST(SwissRoll, HasFourFifthsOfPNearZero) {
  for (const NeighborParameters& parameters :
       {NeighborParameters{}, NeighborParameters{.neighbors = 60, .perplexity = 20}}) {
    double sum = 0;
    double least = 1;
    double most = 0;
    for (int draw = 1; draw <= draws; ++draw) {
      const double share = share_near_zero(parameters, static_cast<std::uint64_t>(draw));
      sum += share;
      least = std::min(least, share);
      most = std::max(most, share);
    }
    if (world().is_root()) {
      fmt::print("t = {}, perplexity {}: {:.2f} % (draws: {:.2f} to {:.2f})\n", parameters.neighbors,
                 parameters.perplexity, 100 * sum / draws, 100 * least, 100 * most);
    }
    EXPECT_GT(sum / draws, 0.82);
    EXPECT_LT(sum / draws, 0.85);
  }
}

}  // namespace
}  // namespace cairn::test::swiss_roll_test
