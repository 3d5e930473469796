// Generated points: the same on any number of ranks, and distributed as they should be.
#include "cairn/data/points/generator.hpp"

#include <cmath>
#include <numbers>

#include "cairn/base/random.hpp"
#include "written_files.hpp"

namespace cairn::test::generator_test {
namespace {

constexpr Index n = 4000;

PointSource source_of(const std::string& kind, Index dimension, std::uint64_t seed = 1) {
  return {.dimension = dimension, .generator = kind, .points = n, .seed = seed};
}

// Mean and variance of coordinate j.
std::pair<double, double> moments(const WholePoints<double>& points, Index j) {
  double mean = 0.0;
  double square = 0.0;
  for (Index i = 0; i < n; ++i) mean += points(i, j) / n;
  for (Index i = 0; i < n; ++i) square += (points(i, j) - mean) * (points(i, j) - mean) / n;
  return {mean, square};
}

TEST(Generator, APointIsAFunctionOfSeedAndNumberAlone) {
  const auto reference = [](const std::string& kind, Index dimension) {
    const RowBlock<double> alone = generate_points<double>(kind, RowPartition(n, 1), 0, dimension, 1);
    const auto local = alone.local();
    return std::vector<double>(local.data, local.data + local.rows * local.columns);
  };
  for (const char* kind : {"gaussian-mixture", "uniform", "normal"}) {
    EXPECT_TRUE(read_whole(source_of(kind, 6)).values == reference(kind, 6)) << kind;
  }
  EXPECT_TRUE(read_whole(source_of("swiss-roll", 0)).values == reference("swiss-roll", 3));
}

TEST(Generator, FirstPointsDoNotDependOnHowManyThereAre) {
  const auto few = generate_points<double>("gaussian-mixture", RowPartition(10, 1), 0, 5, 3);
  const auto many = generate_points<double>("gaussian-mixture", RowPartition(1000, 1), 0, 5, 3);
  for (Index i = 0; i < 10; ++i) EXPECT_TRUE(std::ranges::equal(few.row(i), many.row(i)));
}

TEST(Generator, SeedsDiffer) {
  for (const char* kind : {"gaussian-mixture", "uniform", "normal", "swiss-roll"}) {
    const Index d = std::string(kind) == "swiss-roll" ? 3 : 2;
    EXPECT_NE(read_whole(source_of(kind, d, 1)).values, read_whole(source_of(kind, d, 2)).values);
  }
}

TEST(Generator, UniformAndNormalHaveTheirMoments) {
  const auto uniform = read_whole(source_of("uniform", 7));
  const auto normal = read_whole(source_of("normal", 7));
  for (const double x : uniform.values) EXPECT_TRUE(x >= 0.0 && x < 1.0);
  for (Index j = 0; j < 7; ++j) {  // within five standard errors
    EXPECT_NEAR(moments(uniform, j).first, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / n));
    EXPECT_NEAR(moments(uniform, j).second, 1.0 / 12.0, 5.0 * std::sqrt(1.0 / 180.0 / n));
    EXPECT_NEAR(moments(normal, j).first, 0.0, 5.0 / std::sqrt(n));
    EXPECT_NEAR(moments(normal, j).second, 1.0, 5.0 * std::sqrt(2.0 / n));
  }
}

TEST(Generator, CoordinatesAreIndependent) {
  const auto normal = read_whole(source_of("normal", 6));
  for (Index a = 0; a < 6; ++a) {
    for (Index b = 0; b < a; ++b) {
      double covariance = 0.0;
      for (Index i = 0; i < n; ++i) covariance += normal(i, a) * normal(i, b) / n;
      EXPECT_NEAR(covariance, 0.0, 5.0 / std::sqrt(n)) << a << ", " << b;
    }
  }
}

// In 128 dimensions components cannot be confused: squared distances within one are 2 d = 256 with a deviation of 32,
// between two of them 256 more than 8 times a chi-squared number of 128 degrees, 1280 with a deviation of about 150.
TEST(Generator, TheMixtureHasTenComponentsOfUnitVariance) {
  constexpr Index d = 128;
  constexpr double apart = 600.0;  // ten deviations from the one, four and a half from the other
  const auto points = read_whole(source_of("gaussian-mixture", d));
  const auto distance = [&](Index a, Index b) {
    double sum = 0.0;
    for (Index j = 0; j < d; ++j) sum += std::pow(points(a, j) - points(b, j), 2);
    return sum;
  };
  std::vector<Index> first;
  std::vector<Index> members;
  double spread = 0.0;
  for (Index i = 0; i < n; ++i) {
    std::size_t c = 0;
    while (c < first.size() && distance(i, first[c]) > apart) ++c;
    if (c == first.size()) {
      first.push_back(i);
      members.push_back(0);
    } else {
      spread += distance(i, first[c]) / (2.0 * d);
    }
    ++members[c];
  }
  ASSERT_EQ(first.size(), 10U);
  for (const Index size : members) EXPECT_NEAR(static_cast<double>(size), 400.0, 5.0 * std::sqrt(360.0));
  // The ten reference points' own squared norms deviate most: 16 / (2 d) each, 0.02 for their mean.
  EXPECT_NEAR(spread / static_cast<double>(n - 10), 1.0, 0.1);
}

TEST(Generator, TheSwissRollLiesOnItsSurface) {
  const auto points = read_whole(source_of("swiss-roll", 3));
  double least = 100.0;
  double greatest = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double t = std::hypot(points(i, 0), points(i, 2));
    EXPECT_NEAR(points(i, 0), t * std::cos(t), 1e-9);
    EXPECT_NEAR(points(i, 2), t * std::sin(t), 1e-9);
    EXPECT_TRUE(points(i, 1) >= 0.0 && points(i, 1) < 21.0);
    least = std::min(least, t);
    greatest = std::max(greatest, t);
  }
  EXPECT_TRUE(least >= 1.5 * std::numbers::pi && greatest < 4.5 * std::numbers::pi);
  EXPECT_TRUE(least < 1.52 * std::numbers::pi && greatest > 4.48 * std::numbers::pi);
}

TEST(Generator, SinglePrecisionIsTheSamePointsRounded) {
  const auto wide = read_whole(source_of("normal", 5));
  const auto narrow = read_whole<float>(source_of("normal", 5));
  for (std::size_t k = 0; k < wide.values.size(); ++k) EXPECT_EQ(narrow.values[k], static_cast<float>(wide.values[k]));
}

TEST(Generator, RefusesWhatItCannotMake) {
  expect_refused(source_of("torus", 2), {"'torus'"}, ErrorKind::usage);
  expect_refused(source_of("normal", 0), {"parameter dimension"}, ErrorKind::usage);
  expect_refused(source_of("swiss-roll", 2), {"3 coordinates, not 2"}, ErrorKind::usage);
  expect_refused({.dimension = 2, .generator = "normal", .points = 0}, {"parameter points"}, ErrorKind::usage);
  const auto shape = peek_point_shape(source_of("swiss-roll", 0));
  EXPECT_TRUE(shape && shape->points == n && shape->dimension == 3);
}

}  // namespace
}  // namespace cairn::test::generator_test
