// Gaussian processes against the formulas in plain loops.
#include "cairn/task/gaussian/gaussian_process.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "cairn/base/random.hpp"
#include "expected_errors.hpp"
#include "plain_process.hpp"

namespace cairn::gaussian_process_test {
namespace {

using test::PlainProcess;
using test::Rows;

constexpr int threads = 1;

const CovarianceParameters usual{.sigma = 1.3, .length = 0.8, .noise = 0.2};

TEST(PairDistances, AreThoseOfTheRows) {
  const Rows rows = test::random_rows(13, 5);
  const PairDistances distances(rows.view(), threads);
  std::vector<double> all;
  for (Index j = 0; j < rows.count; ++j) {
    const std::span<const double> from = distances.from(j);
    ASSERT_EQ(std::ssize(from), rows.count - j);
    for (Index i = j; i < rows.count; ++i) {
      const double expected = test::distance(rows.row(i), rows.row(j));
      EXPECT_NEAR(std::sqrt(from[i - j]), expected, 1e-14);
      if (i > j) all.push_back(expected);
    }
  }
  std::ranges::sort(all);
  EXPECT_NEAR(distances.median(), all[all.size() / 2], 1e-14);
}

TEST(PairDistances, OfEqualRowsAreZero) {
  Rows rows = test::random_rows(4, 3);
  for (Index i = 0; i < 4; ++i) std::copy_n(rows.values.begin(), 3, rows.values.begin() + 3 * i);
  EXPECT_EQ(PairDistances(rows.view(), threads).median(), 0.0);
  rows.values[9] += 2.0;  // row 3
  EXPECT_NEAR(PairDistances(rows.view(), threads).median(), 2.0, 1e-14);
}

TEST(PairDistances, MustBeFinite) {
  Rows rows = test::random_rows(6, 3);
  rows.values[3 * 4 + 1] = 1e200;
  test::expect_error([&] { static_cast<void>(PairDistances(rows.view(), threads)); }, ErrorKind::numeric,
                     {"the distance of training row 0", "is not finite"});
}

TEST(MarginalLikelihoods, AreThoseOfTheFormula) {
  for (const Index n : {2, 3, 17, 60}) {
    const Rows rows = test::random_rows(n, 3);
    const std::vector<double> targets = test::random_targets(n);
    const PairDistances distances(rows.view(), threads);
    MarginalLikelihood likelihood(distances, threads);
    for (const CovarianceParameters& p :
         {usual, CovarianceParameters{0.1, 5.0, 0.5}, CovarianceParameters{20.0, 0.05, 1e-3}}) {
      const double expected = PlainProcess(rows, targets, p).log_likelihood();
      EXPECT_NEAR(likelihood.at(p, targets).value().value, expected, 1e-9 * std::abs(expected));
      EXPECT_NEAR(GaussianProcess(rows.view(), targets, p, threads).log_likelihood(), expected,
                  1e-9 * std::abs(expected));
    }
  }
}

TEST(MarginalLikelihoods, HaveTheGradientOfFiniteDifferences) {
  const Rows rows = test::random_rows(40, 4);
  const std::vector<double> targets = test::random_targets(40);
  const PairDistances distances(rows.view(), threads);
  MarginalLikelihood likelihood(distances, threads);
  for (const CovarianceParameters& p :
       {usual, CovarianceParameters{0.4, 3.0, 0.6}, CovarianceParameters{5.0, 0.3, 0.05}}) {
    const LogLikelihood found = likelihood.at(p, targets).value();
    constexpr double step = 1e-5;  // of the logarithms
    double CovarianceParameters::*const members[] = {&CovarianceParameters::sigma, &CovarianceParameters::length,
                                                     &CovarianceParameters::noise};
    for (std::size_t k = 0; k < 3; ++k) {
      CovarianceParameters above = p, below = p;
      above.*members[k] *= std::exp(step);
      below.*members[k] *= std::exp(-step);
      const double expected =
          (likelihood.at(above, targets)->value - likelihood.at(below, targets)->value) / (2.0 * step);
      EXPECT_NEAR(found.gradient[k], expected, 1e-5 * (1.0 + std::abs(expected))) << k;
    }
  }
}

TEST(MarginalLikelihoods, AreUndefinedWhereRoundingHidesTheNoise) {
  const Rows rows = test::random_rows(30, 1);
  const PairDistances distances(rows.view(), threads);
  MarginalLikelihood likelihood(distances, threads);
  EXPECT_FALSE(likelihood.at({.sigma = 1e3, .length = 1e4, .noise = 1e-9}, test::random_targets(30)));
  test::expect_error(
      [&] {
        static_cast<void>(
            GaussianProcess(rows.view(), test::random_targets(30), {.sigma = 1e3, .length = 1e4, .noise = 1e-9}, 1));
      },
      ErrorKind::numeric, {"of the 30 training rows is not positive definite"});
}

TEST(GaussianProcesses, PredictAsTheFormulasSay) {
  const Rows rows = test::random_rows(50, 3), others = test::random_rows(23, 3, 2);
  const std::vector<double> targets = test::random_targets(50);
  const PlainProcess expected(rows, targets, usual);
  const std::vector<Normal> found = GaussianProcess(rows.view(), targets, usual, threads).predict(others.view());
  ASSERT_EQ(found.size(), 23U);
  for (Index i = 0; i < 23; ++i) {
    const Normal one = expected.at(others.row(i));
    EXPECT_NEAR(found[i].mean, one.mean, 1e-10);
    EXPECT_NEAR(found[i].standard_deviation, one.standard_deviation, 1e-10);
  }
}

TEST(GaussianProcesses, LeaveOneOutIsAProcessWithoutThatRow) {
  const Rows rows = test::random_rows(20, 2);
  const std::vector<double> targets = test::random_targets(20);
  const std::vector<Normal> found = GaussianProcess(rows.view(), targets, usual, threads).leave_one_out();
  for (Index i = 0; i < 20; ++i) {
    Rows fewer = rows;
    fewer.values.erase(fewer.values.begin() + 2 * i, fewer.values.begin() + 2 * (i + 1));
    --fewer.count;
    std::vector<double> known = targets;
    known.erase(known.begin() + i);
    const Normal expected = PlainProcess(fewer, known, usual).at(rows.row(i));
    EXPECT_NEAR(found[i].mean, expected.mean, 1e-10);
    EXPECT_NEAR(found[i].standard_deviation, expected.standard_deviation, 1e-10);
  }
}

TEST(GaussianProcesses, WithLittleNoisePassThroughTheTargets) {
  const Rows rows = test::random_rows(30, 2);
  const std::vector<double> targets = test::random_targets(30);
  const CovarianceParameters exact{.sigma = 1.0, .length = 0.5, .noise = 1e-5};
  const std::vector<Normal> found = GaussianProcess(rows.view(), targets, exact, threads).predict(rows.view());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].mean, targets[i], 1e-6);
    EXPECT_LT(found[i].standard_deviation, 1e-4);
  }
  // Far from all rows nothing is known.
  const Rows far{1, 2, {1e4, -1e4}};
  const Normal unknown = GaussianProcess(rows.view(), targets, exact, threads).predict(far.view()).front();
  EXPECT_NEAR(unknown.mean, 0.0, 1e-12);
  EXPECT_NEAR(unknown.standard_deviation, 1.0, 1e-9);
}

TEST(GaussianProcesses, TakeEqualRows) {
  Rows rows = test::random_rows(10, 2);
  std::copy_n(rows.values.begin(), 10, rows.values.begin() + 10);  // rows 5 .. 9 are rows 0 .. 4
  const std::vector<double> targets = test::random_targets(10);
  const CovarianceParameters small{.sigma = 1.0, .length = 0.5, .noise = 1e-3};
  const std::vector<Normal> found = GaussianProcess(rows.view(), targets, small, threads).predict(rows.view());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(found[i].mean, 0.5 * (targets[i] + targets[i + 5]), 1e-4);
    EXPECT_NEAR(found[i].mean, found[i + 5].mean, 1e-9);
  }
}

TEST(GaussianProcesses, AreTheSameOnSeveralThreads) {
  const Rows rows = test::random_rows(60, 3);
  const std::vector<double> targets = test::random_targets(60);
  const PairDistances one(rows.view(), 1), three(rows.view(), 3);
  const LogLikelihood a = MarginalLikelihood(one, 1).at(usual, targets).value();
  const LogLikelihood b = MarginalLikelihood(three, 3).at(usual, targets).value();
  EXPECT_NEAR(a.value, b.value, 1e-10);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.gradient[k], b.gradient[k], 1e-8);
}

}  // namespace
}  // namespace cairn::gaussian_process_test
