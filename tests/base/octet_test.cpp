// Eight lanes at once, against each by itself.
#include "cairn/base/octet.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace cairn::octet_test {
namespace {

struct alignas(64) Eight {
  std::array<double, 8> of;
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Eight first{{1.5, -2.0, 0.0, 7.25, -infinity, 4.0, 1e300, -0.5}};
constexpr Eight second{{1.5, 3.0, -1.0, 7.0, 0.0, infinity, 1e299, -0.5}};

TEST(Octet, ComputesEveryLane) {
  const auto x = Octet<double>::load(first.of.data()), y = Octet<double>::load(second.of.data());
  Octet<double> sum = x;
  sum += y;
  Octet<double> difference = x;
  difference -= y;
  const Octet<double> product = x * y, scaled = 3.0 * x, all = Octet<double>::all(2.5);
  Eight stored{};
  product.store(stored.of.data());
  for (int k = 0; k < 8; ++k) {
    const double a = first.of[k], b = second.of[k];
    EXPECT_EQ(sum[k], a + b);
    EXPECT_EQ(difference[k], a - b);
    EXPECT_EQ(scaled[k], 3.0 * a);
    EXPECT_EQ(all[k], 2.5);
    if (a == -infinity) continue;  // times 0
    EXPECT_EQ(stored.of[k], a * b);
  }
}

TEST(Octet, ChoosesByLane) {
  const auto x = Octet<double>::load(first.of.data()), y = Octet<double>::load(second.of.data());
  const OctetMask less = x < y, equal = x == y;
  const Octet<double> least = select(less, x, y), where_less = where(less, x);
  constexpr OctetMask numbers{{0, 1, 2, 3}, {4, 5, 6, 7}};
  const OctetMask chosen = select(less, numbers, OctetMask::all(-1)), neither = ~(less | equal), both = less & equal;
  for (int k = 0; k < 8; ++k) {
    const double a = first.of[k], b = second.of[k];
    EXPECT_EQ(less[k], a < b ? -1 : 0);
    EXPECT_EQ(equal[k], a == b ? -1 : 0);
    EXPECT_EQ(neither[k], a > b ? -1 : 0);
    EXPECT_EQ(both[k], 0);
    EXPECT_EQ(least[k], a < b ? a : b);
    EXPECT_EQ(where_less[k], a < b ? a : 0.0);
    EXPECT_EQ(chosen[k], a < b ? k : -1);
  }
}

}  // namespace
}  // namespace cairn::octet_test
