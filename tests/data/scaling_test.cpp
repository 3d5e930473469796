// Scalings: against sums over all points on one rank, and bit by bit the same on any number of ranks.
#include <cmath>

#include "cairn/base/random.hpp"
#include "written_files.hpp"

namespace cairn::test::scaling_test {
namespace {

constexpr Index n = 900;
constexpr Index d = 4;

// Coordinate 1 is constant, 2 lies far from 0.
double coordinate(Index i, Index j) {
  const double draw = Random(5, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  if (j == 1) return 0.1;
  return j == 2 ? 1e6 + draw : 3.0 * draw + 1.0;
}

template <class T>
PointSet<T> sample(int rank, int ranks) {
  RowBlock<T> points(RowPartition(n, ranks), rank, d);
  for (Index i = points.range().begin; i < points.range().end; ++i) {
    for (Index j = 0; j < d; ++j) points.row(i)[j] = static_cast<T>(coordinate(i, j));
  }
  return {std::move(points), rank, {}};
}

template <class T>
PointSet<T> sample() {
  return sample<T>(world().rank(), world().size());
}

template <class T>
PointSet<T> scaled(const std::string& kind) {
  auto points = sample<T>();
  apply_scaling(world(), fit_scaling(world(), points, kind), points);
  return points;
}

TEST(Scaling, StandardGivesMeanZeroAndVarianceOne) {
  const auto points = whole(scaled<double>("standard"));
  for (Index j = 0; j < d; ++j) {
    double mean = 0.0;
    double variance = 0.0;
    for (Index i = 0; i < n; ++i) mean += points(i, j) / n;
    for (Index i = 0; i < n; ++i) variance += points(i, j) * points(i, j) / n;
    EXPECT_NEAR(mean, 0.0, j == 2 ? 1e-9 : 1e-13);  // of numbers near 1e6
    EXPECT_NEAR(variance, j == 1 ? 0.0 : 1.0, j == 2 ? 1e-9 : 1e-12);
  }
}

TEST(Scaling, CenterMovesPointsAsTheyAre) {
  const auto points = whole(scaled<double>("center"));
  for (Index j = 0; j < d; ++j) {
    double mean = 0.0;
    for (Index i = 0; i < n; ++i) mean += points(i, j) / n;
    EXPECT_NEAR(mean, 0.0, j == 2 ? 1e-9 : 1e-13);  // of numbers near 1e6
    for (Index i = 1; i < n; ++i) {
      EXPECT_NEAR(points(i, j) - points(0, j), coordinate(i, j) - coordinate(0, j), j == 2 ? 1e-9 : 1e-13);
    }
  }
}

TEST(Scaling, StandardKeepsSmallDifferencesFarFromZeroInSinglePrecision) {
  const auto points = whole(scaled<float>("standard"));
  double variance = 0.0;
  for (Index i = 0; i < n; ++i) variance += std::pow(static_cast<double>(points(i, 2)), 2) / n;
  EXPECT_NEAR(variance, 1.0, 1e-3);
  for (Index i = 0; i < n; ++i) EXPECT_EQ(points(i, 1), 0.0F);
}

TEST(Scaling, MinMaxFillsTheUnitInterval) {
  const auto points = whole(scaled<double>("min-max"));
  for (Index j = 0; j < d; ++j) {
    double least = 2.0;
    double greatest = -1.0;
    for (Index i = 0; i < n; ++i) {
      least = std::min(least, points(i, j));
      greatest = std::max(greatest, points(i, j));
    }
    EXPECT_EQ(least, 0.0);
    EXPECT_NEAR(greatest, j == 1 ? 0.0 : 1.0, 1e-15);
  }
}

TEST(Scaling, UnitNormGivesPointsOfLengthOne) {
  const auto points = whole(scaled<double>("unit-norm"));
  for (Index i = 0; i < n; ++i) {
    double square = 0.0;
    for (Index j = 0; j < d; ++j) square += points(i, j) * points(i, j);
    EXPECT_NEAR(square, 1.0, 1e-14);
    EXPECT_NEAR(points(i, 0) / points(i, 2), coordinate(i, 0) / coordinate(i, 2), 1e-18);
  }
}

TEST(Scaling, NoneLeavesThePointsAsTheyAre) {
  EXPECT_EQ(whole(scaled<double>("none")).values, whole(sample<double>()).values);
}

TEST(Scaling, IsTheSameOnAnyNumberOfRanksToTheLastBit) {
  const Communicator alone(MPI_COMM_SELF);
  const auto all = sample<double>(0, 1);
  for (const char* kind : {"center", "standard", "min-max"}) {
    const Scaling here = fit_scaling(world(), sample<double>(), kind);
    const Scaling reference = fit_scaling(alone, all, kind);
    EXPECT_EQ(here.shift, reference.shift) << kind;
    EXPECT_EQ(here.factor, reference.factor) << kind;
  }
}

// So many coordinates that the units' sums are gathered in several parts.
TEST(Scaling, TakesManyCoordinatesInParts) {
  constexpr Index points = 1600;  // 100 units
  constexpr Index coordinates = 20000;
  RowBlock<float> values(RowPartition(points, world().size()), world().rank(), coordinates);
  for (Index i = values.range().begin; i < values.range().end; ++i) {
    for (Index j = 0; j < coordinates; ++j) values.row(i)[j] = static_cast<float>(i % 2 == 0 ? j : j + 2);
  }
  const PointSet<float> set(std::move(values), world().rank(), {});
  const Scaling scaling = fit_scaling(world(), set, "standard");
  for (Index j = 0; j < coordinates; ++j) {
    ASSERT_EQ(scaling.shift[j], static_cast<double>(j + 1));
    ASSERT_EQ(scaling.factor[j], 1.0);
  }
}

TEST(Scaling, SaysWhatItCannotDo) {
  auto points = sample<double>();
  expect_error([&] { (void)fit_scaling(world(), points, "maximal"); }, ErrorKind::usage, {"'maximal'"});
  const Scaling other{.kind = "standard", .shift = {1.0}, .factor = {1.0}};
  expect_error([&] { apply_scaling(world(), other, points); }, ErrorKind::input, {"1 coordinates", "4"});
  if (points.range().contains(431)) std::ranges::fill(points.coordinates().row(431), 0.0);
  expect_error([&] { apply_scaling(world(), fit_scaling(world(), points, "unit-norm"), points); }, ErrorKind::input,
               {"unit-norm", "point 431 is the zero vector"});
}

}  // namespace
}  // namespace cairn::test::scaling_test
