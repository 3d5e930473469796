// Vecchia's likelihood and predictions, on any number of ranks, against dense matrices in plain loops and brute force.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "cairn/base/random.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::vecchia_test {
namespace {

using test::Context;
using test::world;
using testing::DoubleNear;
using testing::Each;
using testing::Pointwise;

constexpr Smoothness all_smoothness[] = {Smoothness::one_half, Smoothness::three_halves, Smoothness::five_halves,
                                         Smoothness::infinite};

double deviate(Index i, Index j) {
  return Random(11, Stream::test).normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
}

// All rows, on every rank: coordinates as a result has them, with a column far from 0 and one with a large unit.
struct Sample {
  Index n, columns;
  std::vector<double> coordinates, targets;

  Sample(Index count, Index width) : n(count), columns(width) {
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < columns; ++c) coordinates.push_back(c == 0 ? 1000.0 + deviate(i, c) : 5.0 * deviate(i, c));
      const double x = coordinates[i * columns] - 1000.0, y = coordinates[i * columns + columns - 1] / 5.0;
      targets.push_back(20.0 + 3.0 * (std::sin(2.0 * x) + 0.5 * y + 0.3 * deviate(i, 100)));
    }
  }

  [[nodiscard]] Range own(const Communicator& ranks) const {
    return {n * ranks.rank() / ranks.size(), n * (ranks.rank() + 1) / ranks.size()};
  }
};

VecchiaRows rows_of(const Execution& execution, const Sample& sample, bool one_length = false) {
  const Range own = sample.own(execution.communicator);
  std::vector<Index> numbers;
  for (Index i = own.begin; i < own.end; ++i) numbers.push_back(2 * i + 1);
  const auto begin = sample.coordinates.begin();
  return vecchia_rows(execution, {begin + own.begin * sample.columns, begin + own.end * sample.columns}, sample.columns,
                      numbers, one_length);
}

VecchiaTarget target_of(const Execution& execution, const Sample& sample) {
  const Range own = sample.own(execution.communicator);
  const auto begin = sample.targets.begin();
  return vecchia_target(execution, {begin + own.begin, begin + own.end}, 1, 0, "y");
}

// m(r) by the formulas.
double correlation(Smoothness smoothness, double r) {
  const double t = smoothness == Smoothness::three_halves ? std::sqrt(3.0) * r : std::sqrt(5.0) * r;
  switch (smoothness) {
    case Smoothness::one_half:
      return std::exp(-r);
    case Smoothness::three_halves:
      return (1.0 + t) * std::exp(-t);
    case Smoothness::five_halves:
      return (1.0 + t + t * t / 3.0) * std::exp(-t);
    case Smoothness::infinite:
      break;
  }
  return std::exp(-0.5 * r * r);
}

double covariance_at(const ColumnCovariance& covariance, const double* x, const double* y, Index columns) {
  double sum = 0.0;
  for (Index c = 0; c < columns; ++c) sum += std::pow((x[c] - y[c]) / covariance.length(c), 2);
  return std::pow(covariance.sigma, 2) * correlation(covariance.smoothness, std::sqrt(sum));
}

// A dense process of standardized rows.
class Dense {
 public:
  Dense(const VecchiaRows& rows, const VecchiaTarget& target, const ColumnCovariance& covariance,
        const std::vector<double>& coefficients, std::vector<Index> which = {})
      : x_(rows.points.coordinates.values()),
        columns_(rows.points.columns),
        covariance_(covariance),
        coefficients_(coefficients),
        which_(std::move(which)) {
    if (which_.empty()) {
      which_.resize(static_cast<std::size_t>(rows.count()));
      std::iota(which_.begin(), which_.end(), Index{0});
    }
    n_ = which_.size();
    factor_.assign(n_ * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = covariance_at(covariance, at(i), at(j), columns_) + (i == j ? std::pow(covariance.noise, 2) : 0.0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n_ + k] * factor_[j * n_ + k];
        factor_[i * n_ + j] = i == j ? std::sqrt(sum) : sum / factor_[j * n_ + j];
      }
      residuals_.push_back(target.values[which_[i]] - mean_at(at(i)));
    }
    solve_forward(residuals_);
  }

  [[nodiscard]] double log_likelihood() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum -=
          0.5 * residuals_[i] * residuals_[i] + std::log(factor_[i * n_ + i]) + 0.5 * std::log(2.0 * std::numbers::pi);
    }
    return sum;
  }

  // A new observation at standardized coordinates.
  [[nodiscard]] Normal predict(const double* x) const {
    std::vector<double> across;
    for (std::size_t i = 0; i < n_; ++i) across.push_back(covariance_at(covariance_, x, at(i), columns_));
    solve_forward(across);
    double mean = mean_at(x), variance = std::pow(covariance_.sigma, 2) + std::pow(covariance_.noise, 2);
    for (std::size_t i = 0; i < n_; ++i) {
      mean += across[i] * residuals_[i];
      variance -= across[i] * across[i];
    }
    return {mean, std::sqrt(variance)};
  }

 private:
  [[nodiscard]] const double* at(std::size_t i) const { return x_.data() + which_[i] * columns_; }
  [[nodiscard]] double mean_at(const double* x) const {
    double mean = coefficients_[0];
    for (std::size_t c = 1; c < coefficients_.size(); ++c) mean += coefficients_[c] * x[c - 1];
    return mean;
  }
  void solve_forward(std::vector<double>& b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= factor_[i * n_ + k] * b[k];
      b[i] /= factor_[i * n_ + i];
    }
  }

  std::span<const double> x_;
  Index columns_;
  ColumnCovariance covariance_;
  std::vector<double> coefficients_;
  std::vector<Index> which_;
  std::size_t n_ = 0;
  std::vector<double> factor_, residuals_;
};

ColumnCovariance usual(Smoothness smoothness, Index columns, bool one_length = false) {
  ColumnCovariance covariance{.smoothness = smoothness, .sigma = 0.9, .noise = 0.25};
  for (Index c = 0; c < (one_length ? 1 : columns); ++c)
    covariance.lengths.push_back(0.8 + 0.5 * static_cast<double>(c));
  return covariance;
}

ConditionalShape shape_of(const VecchiaRows& rows, Index neighbors, bool linear) {
  return {.neighbors = neighbors, .columns = rows.points.columns, .one_length = rows.one_length, .linear = linear};
}

TEST(NeighborTrees, FindTheNearestPredecessorsOfBruteForce) {
  Context context;
  for (const Index n : {1, 5, 32, 33, 700}) {
    for (const Index columns : {1, 3, 20}) {
      const Sample sample(n, columns);
      const VecchiaRows rows = rows_of(context.execution, sample);
      std::vector<double> lengths;
      for (Index c = 0; c < columns; ++c) lengths.push_back(0.5 + static_cast<double>(c));
      const NeighborTree tree(context.execution, rows.points, lengths);
      NeighborTree::Search search;
      const Range own = tree.range(world().rank(), world().size());
      EXPECT_EQ(world().sum(own.size()), n);
      for (Index place = own.begin; place < own.end; ++place) {
        std::vector<double> position, expected;
        for (Index c = 0; c < columns; ++c) position.push_back(tree.coordinate(place, c));
        const auto squared = [&](Index other) {
          double sum = 0.0;
          for (Index c = 0; c < columns; ++c) sum += std::pow(position[c] - tree.coordinate(other, c), 2);
          return sum;
        };
        for (const bool predecessors : {true, false}) {
          expected.clear();
          const std::uint64_t limit = predecessors ? tree.key(place) : NeighborTree::all;
          for (Index other = 0; other < n; ++other) {
            if (other != place && tree.key(other) < limit) expected.push_back(squared(other));
          }
          std::ranges::sort(expected);
          expected.resize(std::min<std::size_t>(expected.size(), 9));
          std::vector<double> found;
          for (const std::int32_t near : tree.nearest(search, position.data(), 9, limit, predecessors ? -1 : place)) {
            EXPECT_TRUE(near != place && tree.key(near) < limit);
            found.push_back(squared(near));
          }
          std::ranges::sort(found);
          EXPECT_THAT(found, Pointwise(DoubleNear(1e-12), expected));
        }
      }
    }
  }
}

TEST(NeighborTrees, HaveEveryPointOnce) {
  Context context;
  const Sample sample(1000, 2);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const NeighborTree tree(context.execution, rows.points, {1.0, 2.0});
  std::vector<Index> numbers;
  for (Index place = 0; place < 1000; ++place) numbers.push_back(tree.number(place));
  std::ranges::sort(numbers);
  for (Index i = 0; i < 1000; ++i) ASSERT_EQ(numbers[i], i);
}

TEST(VecchiaLikelihoods, WithAllPredecessorsAreThoseOfDenseMatrices) {
  Context context;
  const Sample sample(60, 3);
  const VecchiaTarget target = target_of(context.execution, sample);
  for (const bool one_length : {false, true}) {
    const VecchiaRows rows = rows_of(context.execution, sample, one_length);
    for (const bool linear : {false, true}) {
      VecchiaLikelihood likelihood(context.execution, rows.points, target.values, shape_of(rows, 59, linear));
      for (const Smoothness smoothness : all_smoothness) {
        const ColumnCovariance covariance = usual(smoothness, 3, one_length);
        likelihood.find_neighbors(covariance.lengths);
        const std::vector<double> mean = linear ? std::vector{0.1, 0.5, -0.2, 0.3} : std::vector{0.1};
        const double expected = Dense(rows, target, covariance, mean).log_likelihood();
        EXPECT_NEAR(likelihood.at(covariance, mean, false).value, expected, 1e-10 * std::abs(expected));
      }
    }
  }
}

TEST(VecchiaLikelihoods, HaveTheGradientOfFiniteDifferences) {
  Context context;
  const Sample sample(150, 3);
  const VecchiaTarget target = target_of(context.execution, sample);
  constexpr double step = 1e-5;
  for (const bool one_length : {false, true}) {
    const VecchiaRows rows = rows_of(context.execution, sample, one_length);
    VecchiaLikelihood likelihood(context.execution, rows.points, target.values, shape_of(rows, 7, true));
    for (const Smoothness smoothness : all_smoothness) {
      const ColumnCovariance covariance = usual(smoothness, 3, one_length);
      likelihood.find_neighbors(covariance.lengths);
      const std::vector<double> mean = {0.1, 0.5, -0.2, 0.3};
      const VecchiaSums sums = likelihood.at(covariance, mean, true);
      const auto value = [&](std::size_t k, double change) {
        ColumnCovariance moved = covariance;
        const std::size_t count = moved.lengths.size();
        (k < count ? moved.lengths[k] : k == count ? moved.sigma : moved.noise) *= std::exp(change);
        return likelihood.at(moved, mean, false).value;
      };
      for (std::size_t k = 0; k < covariance.lengths.size() + 2; ++k) {
        EXPECT_NEAR(sums.gradient[k], (value(k, step) - value(k, -step)) / (2.0 * step), 1e-5) << k;
      }
      for (std::size_t p = 0; p < mean.size(); ++p) {
        std::vector<double> above = mean, below = mean;
        above[p] += step, below[p] -= step;
        const double upper = likelihood.at(covariance, above, false).value,
                     lower = likelihood.at(covariance, below, false).value;
        EXPECT_NEAR(sums.mean_gradient[p], (upper - lower) / (2.0 * step), 1e-5) << p;
        EXPECT_NEAR(sums.mean_information[p * mean.size() + p], -(upper + lower - 2.0 * sums.value) / (step * step),
                    2e-3 * sums.mean_information[p * mean.size() + p]);
      }
    }
  }
}

// Its definition: the mean of products of gradients over targets that have the distribution.
TEST(VecchiaLikelihoods, HaveTheInformationOfMeanProductsOfGradients) {
  CAIRN_UP_TO_RANKS(1);
  Context context;
  const Sample sample(16, 2);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const ColumnCovariance covariance = usual(Smoothness::three_halves, 2);
  VecchiaTarget target = target_of(context.execution, sample);
  // C of the dense covariance, to draw targets.
  std::vector<double> factor(256, 0.0);
  const double* x = rows.points.coordinates.values().data();
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = covariance_at(covariance, x + 2 * i, x + 2 * j, 2) + (i == j ? std::pow(covariance.noise, 2) : 0.0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * 16 + k] * factor[j * 16 + k];
      factor[i * 16 + j] = i == j ? std::sqrt(sum) : sum / factor[j * 16 + j];
    }
  }
  VecchiaLikelihood likelihood(context.execution, rows.points, target.values, shape_of(rows, 15, false));
  likelihood.find_neighbors(covariance.lengths);
  constexpr Index draws = 1200;
  std::vector<double> means(16, 0.0);
  VecchiaSums sums;
  for (Index draw = 0; draw < draws; ++draw) {
    if (target.values.node().is_root()) {
      for (std::size_t i = 0; i < 16; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k <= i; ++k) sum += factor[i * 16 + k] * deviate(static_cast<Index>(k), 1000 + draw);
        target.values.writable()[i] = sum;
      }
    }
    target.values.publish();
    likelihood.find_neighbors(covariance.lengths);
    sums = likelihood.at(covariance, {0.0}, true);
    for (std::size_t k = 0; k < 16; ++k) means[k] += sums.gradient[k / 4] * sums.gradient[k % 4] / draws;
  }
  for (std::size_t k = 0; k < 16; ++k) {
    const double scale = std::sqrt(sums.information[k / 4 * 5] * sums.information[k % 4 * 5]);
    EXPECT_NEAR(means[k], sums.information[k], 0.15 * scale) << k;
  }
}

TEST(VecchiaLikelihoods, ComeNearerWithMoreNeighbors) {
  CAIRN_UP_TO_RANKS(1);
  Context context;
  const Sample sample(800, 2);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const VecchiaTarget target = target_of(context.execution, sample);
  const ColumnCovariance covariance = usual(Smoothness::five_halves, 2);
  const double exact = Dense(rows, target, covariance, {0.0}).log_likelihood();
  std::vector<double> errors;
  for (const Index m : {5, 10, 20, 40, 80}) {
    VecchiaLikelihood likelihood(context.execution, rows.points, target.values, shape_of(rows, m, false));
    likelihood.find_neighbors(covariance.lengths);
    errors.push_back(std::abs(likelihood.at(covariance, {0.0}, false).value - exact) / 800);
  }
  EXPECT_TRUE(std::ranges::is_sorted(errors, std::greater<>())) << testing::PrintToString(errors);
  EXPECT_LT(errors[3], 0.01);
}

VecchiaFit fit(const Execution& execution, const Sample& sample, bool one_length = false, Index neighbors = 20) {
  const VecchiaRows rows = rows_of(execution, sample, one_length);
  return fit_vecchia(execution, rows, target_of(execution, sample),
                     {.smoothness = Smoothness::five_halves, .neighbors = neighbors, .linear = !one_length});
}

TEST(VecchiaFits, FindTheLargestLikelihood) {
  Context context;
  const Sample sample(60, 2);
  for (const bool one_length : {false, true}) {
    const VecchiaRows rows = rows_of(context.execution, sample, one_length);
    const VecchiaTarget target = target_of(context.execution, sample);
    const VecchiaFit found = fit_vecchia(context.execution, rows, target, {.neighbors = 59, .linear = !one_length});
    EXPECT_TRUE(found.converged);
    const auto at = [&](const ColumnCovariance& covariance, const std::vector<double>& mean) {
      return Dense(rows, target, covariance, mean).log_likelihood();
    };
    EXPECT_NEAR(found.log_likelihood, at(found.covariance, found.coefficients), 1e-6);
    for (const double factor : {0.9, 1.1}) {
      for (std::size_t k = 0; k < found.covariance.lengths.size() + 2; ++k) {
        ColumnCovariance moved = found.covariance;
        const std::size_t count = moved.lengths.size();
        (k < count ? moved.lengths[k] : k == count ? moved.sigma : moved.noise) *= factor;
        EXPECT_LE(at(moved, found.coefficients), found.log_likelihood + 1e-3) << k;
      }
      for (std::size_t p = 0; p < found.coefficients.size(); ++p) {
        std::vector<double> moved = found.coefficients;
        moved[p] += factor - 1.0;
        EXPECT_LE(at(found.covariance, moved), found.log_likelihood) << p;
      }
    }
    EXPECT_NEAR(found.covariance.noise * target.scale, 0.9, 0.4);
  }
}

TEST(VecchiaFits, AreTheSameBitsOnAnyNumberOfRanks) {
  for (const bool one_length : {false, true}) {
    const Sample sample(4000, 3);
    Context context;
    const Communicator alone(MPI_COMM_SELF);
    Context by_itself(alone);
    const VecchiaFit found = fit(context.execution, sample, one_length, 8),
                     expected = fit(by_itself.execution, sample, one_length, 8);
    EXPECT_EQ(found.log_likelihood, expected.log_likelihood);
    EXPECT_EQ(found.covariance.lengths, expected.covariance.lengths);
    EXPECT_EQ(found.coefficients, expected.coefficients);
    EXPECT_EQ(found.covariance.noise, expected.covariance.noise);
    EXPECT_EQ(found.steps, expected.steps);
  }
}

TEST(VecchiaPredictions, FromAllRowsAreThoseOfDenseMatrices) {
  Context context;
  const Sample sample(70, 3), others(23, 3);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const VecchiaTarget target = target_of(context.execution, sample);
  const std::vector<double> mean = {0.1, 0.5, -0.2, 0.3};
  for (const Smoothness smoothness : all_smoothness) {
    const ColumnCovariance covariance = usual(smoothness, 3);
    const VecchiaPredictor predictor(context.execution, rows, target.values, covariance, mean, 70);
    std::vector<double> moved;
    const Range own = others.own(world());
    for (Index i = own.begin * 3; i < own.end * 3; ++i) moved.push_back(others.coordinates[i] + 0.1);
    const std::vector<Normal> found = predictor.predict(moved);
    ASSERT_EQ(std::ssize(found), own.size());
    const Dense dense(rows, target, covariance, mean);
    for (Index i = 0; i < own.size(); ++i) {
      std::vector<double> x;
      for (Index c = 0; c < 3; ++c) x.push_back((moved[i * 3 + c] - rows.center[c]) / rows.unit[c]);
      const Normal expected = dense.predict(x.data());
      EXPECT_NEAR(found[i].mean, expected.mean, 1e-10);
      EXPECT_NEAR(found[i].standard_deviation, expected.standard_deviation, 1e-10);
    }
  }
}

TEST(VecchiaPredictions, OfRowsThatAreLeftOutAreThoseWithoutThem) {
  Context context;
  const Sample sample(40, 2);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const VecchiaTarget target = target_of(context.execution, sample);
  const ColumnCovariance covariance = usual(Smoothness::five_halves, 2);
  const VecchiaPredictor predictor(context.execution, rows, target.values, covariance, {0.2}, 39);
  const VecchiaPredictor::LeftOut left_out = predictor.leave_one_out();
  const NeighborTree tree(context.execution, rows.points, search_lengths(covariance, 2));
  const Range own = tree.range(world().rank(), world().size());
  ASSERT_EQ(std::ssize(left_out.targets), own.size());
  for (Index place = own.begin; place < own.end; ++place) {
    std::vector<Index> which;
    for (Index i = 0; i < 40; ++i) {
      if (i != tree.number(place)) which.push_back(i);
    }
    const Normal expected = Dense(rows, target, covariance, {0.2}, which)
                                .predict(rows.points.coordinates.values().data() + 2 * tree.number(place));
    EXPECT_EQ(left_out.targets[place - own.begin], target.values[tree.number(place)]);
    EXPECT_NEAR(left_out.distributions[place - own.begin].mean, expected.mean, 1e-10);
    EXPECT_NEAR(left_out.distributions[place - own.begin].standard_deviation, expected.standard_deviation, 1e-10);
  }
}

TEST(VecchiaPredictions, CoverNewTargets) {
  CAIRN_UP_TO_RANKS(2);
  Context context;
  const Sample sample(3000, 2);
  const VecchiaRows rows = rows_of(context.execution, sample);
  const VecchiaTarget target = target_of(context.execution, sample);
  const VecchiaFit found = fit_vecchia(context.execution, rows, target, {.neighbors = 15});
  const VecchiaPredictor predictor(context.execution, rows, target.values, found.covariance, found.coefficients, 15);
  const VecchiaPredictor::LeftOut left_out = predictor.leave_one_out();
  double inside = 0.0;
  for (std::size_t i = 0; i < left_out.targets.size(); ++i) {
    const Normal& one = left_out.distributions[i];
    if (std::abs(left_out.targets[i] - one.mean) < 1.959964 * one.standard_deviation) inside += 1.0;
  }
  EXPECT_NEAR(world().sum(inside) / 3000, 0.95, 0.015);
}

TEST(VecchiaFits, TakeEqualRowsAndConstantColumns) {
  Context context;
  Sample sample(200, 3);
  for (Index i = 0; i < 100; ++i) {
    std::copy_n(sample.coordinates.begin() + 3 * i, 3, sample.coordinates.begin() + 3 * (i + 100));
  }
  for (Index i = 0; i < 200; ++i) sample.coordinates[3 * i + 1] = 7.0;
  const VecchiaFit found = fit(context.execution, sample);
  EXPECT_TRUE(std::isfinite(found.log_likelihood));
  EXPECT_GT(found.covariance.noise, 0.05);
  const VecchiaRows rows = rows_of(context.execution, sample);
  EXPECT_EQ(rows.unit[1], 1.0);
  EXPECT_EQ(rows.points.coordinates[1], 0.0);
}

TEST(VecchiaFits, RefuseConstantTargetsAndValuesThatAreNotFinite) {
  Context context;
  Sample sample(50, 2);
  std::ranges::fill(sample.targets, 0.1);
  test::expect_error([&] { static_cast<void>(target_of(context.execution, sample)); }, ErrorKind::input,
                     {"the target y is 0.1 in all 50 training rows"});
  sample.coordinates[7] = NAN;
  test::expect_error([&] { static_cast<void>(rows_of(context.execution, sample)); }, ErrorKind::numeric,
                     {"row 7 has a coordinate of nan"});
}

}  // namespace
}  // namespace cairn::vecchia_test
