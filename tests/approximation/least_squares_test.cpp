// Least squares of the coefficients of sketches.
#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/approximation/random_features/sketch_design.hpp"
#include "cairn/base/random.hpp"

namespace cairn::least_squares_test {
namespace {

// Against all choices of entries that are not 0, the best of which has a solution above 0.
TEST(NonnegativeLeastSquares, AreTheBestOfAllSubsets) {
  constexpr std::size_t order = 6;
  const Random random(17, Stream::test);
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    std::vector<double> gram(order * order), right(order);
    double squares = 0;
    for (std::uint64_t row = 0; row < 9; ++row) {
      std::vector<double> x(order);
      for (std::size_t p = 0; p < order; ++p) x[p] = random.normal(100 * draw + row, p) + (p > 2 ? 1.0 : 0.0);
      const double y = random.normal(100 * draw + row, order);
      squares += y * y;
      for (std::size_t p = 0; p < order; ++p) {
        right[p] += x[p] * y;
        for (std::size_t q = 0; q < order; ++q) gram[p * order + q] += x[p] * x[q];
      }
    }
    double best = squares;
    for (unsigned subset = 1; subset < 1U << order; ++subset) {
      std::vector<std::size_t> places;
      for (std::size_t p = 0; p < order; ++p) {
        if ((subset >> p & 1U) != 0) places.push_back(p);
      }
      std::vector<double> own, own_right;
      for (const std::size_t p : places) {
        own_right.push_back(right[p]);
        for (const std::size_t q : places) own.push_back(gram[p * order + q]);
      }
      const LeastSquares found = solve_least_squares(own, own_right, squares);
      if (*std::ranges::min_element(found.solution) >= 0) best = std::min(best, found.residual);
    }
    const LeastSquares found = solve_nonnegative(gram, right, squares);
    EXPECT_GE(*std::ranges::min_element(found.solution), 0.0);
    EXPECT_NEAR(found.residual, best, 1e-9 * squares) << "draw " << draw;
  }
}

}  // namespace
}  // namespace cairn::least_squares_test
