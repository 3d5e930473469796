#include "cairn/similarity/vector_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace {

using namespace cairn;

// Largest error of exp(-t) in units of the last place for `count` values of t in [0, end).
template <class T>
double worst_error_of_decay(double end, int count) {
  std::vector<T> t(count);
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<T>(end * static_cast<double>(i) / count);
  std::vector<T> values = t;
  EXPECT_TRUE(vector_math::decay(T(1), values.data(), count));
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const long double exact = std::exp(-static_cast<long double>(t[i]));
    int exponent = 0;
    std::frexp(exact, &exponent);
    const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
    worst = std::max(worst, static_cast<double>(std::abs(values[i] - exact) / unit));
  }
  return worst;
}

TEST(VectorMath, ExponentialIsWithinTwoUnitsInTheLastPlace) {
  EXPECT_LT(worst_error_of_decay<double>(700, 100003), 2.0);
  EXPECT_LT(worst_error_of_decay<double>(1, 100003), 2.0);
  EXPECT_LT(worst_error_of_decay<float>(86, 100003), 2.0);
  EXPECT_LT(worst_error_of_decay<float>(1, 100003), 2.0);
}

TEST(VectorMath, ExponentialOfZeroIsOneAndOfHugeNumbersNextToNothing) {
  std::vector<double> values{0.0, 750.0, 1e300, std::numeric_limits<double>::infinity(), -0.0};
  EXPECT_TRUE(vector_math::decay(1.0, values.data(), 5));
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[4], 1.0);
  for (int i = 1; i < 4; ++i) {
    EXPECT_GE(values[i], 0.0);
    EXPECT_LT(values[i], 1e-300);
  }
}

TEST(VectorMath, CosineAndSineOfAnyAngleAreWithinFourUnitsInTheLastPlace) {
  constexpr int count = 20001;
  for (const double end : {1e-3, 3.0, 700.0, 9e5, 1e12}) {
    std::vector<double> angles(count), cosines(count), sines(count);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      angles[i] = end * (2 * static_cast<double>(i) / count - 1) + 1e-4 * static_cast<double>(i % 7);
    }
    cosines = angles;
    EXPECT_TRUE(vector_math::circle(1.0, cosines.data(), sines.data(), count));
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const auto angle = static_cast<long double>(angles[i]);
      for (const auto& [found, exact] :
           {std::pair(cosines[i], std::cos(angle)), std::pair(sines[i], std::sin(angle))}) {
        int exponent = 0;
        std::frexp(exact, &exponent);
        EXPECT_LE(std::abs(found - exact), 4 * std::ldexp(1.0L, exponent - 53)) << angles[i];
      }
    }
  }
  std::vector<double> infinite{0.0, std::numeric_limits<double>::infinity()}, sines(2);
  EXPECT_FALSE(vector_math::circle(1.0, infinite.data(), sines.data(), 2));
}

TEST(VectorMath, NotANumberIsReportedWhereverItStands) {
  for (const Index n : {1, 7, 16, 33}) {
    for (Index bad = 0; bad < n; ++bad) {
      std::vector<double> norms(n, 1.0), values(static_cast<std::size_t>(n), -1.0);
      const std::uint64_t payload = 0x7ff8000000000fffULL;  // a NaN whose low bits an exponential must not trip over
      std::memcpy(&values[bad], &payload, sizeof(payload));
      EXPECT_FALSE(vector_math::rbf(1.0, norms.data(), 0.5, values.data(), n));
      EXPECT_TRUE(std::isnan(values[bad]));
    }
  }
}

TEST(VectorMath, InfinityIsReported) {
  std::vector<float> values(40, 1.0F);
  EXPECT_TRUE(vector_math::finite(values.data(), 40));
  values[39] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(vector_math::finite(values.data(), 40));
  std::vector<double> large(9, 1e200);
  EXPECT_FALSE(vector_math::polynomial(1.0, 0.0, 2.0, large.data(), 9));
}

TEST(VectorMath, WholePowersMatchPow) {
  for (const double degree : {0.0, 1.0, 2.0, 3.0, 7.0, 32.0, 33.0, 2.5}) {
    std::vector<double> values(300);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.01 * static_cast<double>(i);
    const std::vector<double> x = values;
    EXPECT_TRUE(vector_math::polynomial(0.5, 0.25, degree, values.data(), 300));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = std::pow(0.5 * x[i] + 0.25, degree);
      EXPECT_NEAR(values[i], exact, 1e-14 * exact) << degree << " at " << x[i];
    }
  }
}

TEST(VectorMath, CancelledDistancesAreCounted) {
  const std::vector<double> norms{1.0, 1.0, 1.0, 1.0};
  const std::vector<double> products{-2.0, -1.9999, -1.9,
                                     0.0};  // squared distances 0, 1e-4, 0.1, 2 of |x|^2 + |y|^2 = 2
  EXPECT_EQ(vector_math::count_cancelled(1.0, norms.data(), products.data(), 1e-3, 4), 2);
}

}  // namespace
