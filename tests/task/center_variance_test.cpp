// Variances of regressions on centers against the process of all training rows in dense matrices.
#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "../approximation/method_run.hpp"
#include "cairn/task/regression/center_variances.hpp"
#include "cairn/task/regression/centers/center_regression.hpp"
#include "expected_errors.hpp"

namespace cairn::center_variance_test {
namespace {

using test::Context;
using test::Dense;
using test::dense;
using test::EntryFunction;
using test::FunctionSimilarity;
using test::world;

constexpr Index q = 2;

using Target = std::function<double(Index, Index)>;

double wave(Index i, Index t) {
  return std::cos(0.13 * static_cast<double>(i * (t + 1))) + 100.0 * static_cast<double>(t);
}

std::vector<Index> numbers(Index n, const std::function<bool(Index)>& taken) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (taken(i)) rows.push_back(i);
  }
  return rows;
}

std::vector<Index> own_rows(Index n, const std::vector<Index>& rows) {
  const Range own = RowPartition(n, world().size()).range(world().rank());
  std::vector<Index> mine;
  for (const Index i : rows) {
    if (own.contains(i)) mine.push_back(i);
  }
  return mine;
}

TrainingSet training_on(Index n, const std::vector<Index>& rows, const Target& target, Index targets) {
  TrainingSet set{own_rows(n, rows), {}, targets};
  for (const Index i : set.rows) {
    for (Index t = 0; t < targets; ++t) set.values.push_back(target(i, t));
  }
  return set;
}

std::vector<Index> center_numbers(Index n, Index m) {
  std::vector<Index> centers;
  for (Index k = 0; k < m; ++k) centers.push_back(((k * 37 + 5) * (n / 100 + 1)) % n);
  return centers;
}

// Lower triangle of A = F Fᵀ.
Dense cholesky_factor(Dense a) {
  for (Index j = 0; j < a.rows; ++j) {
    for (Index i = j; i < a.rows; ++i) {
      double sum = a(i, j);
      for (Index k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
    for (Index i = 0; i < j; ++i) a(i, j) = 0.0;
  }
  return a;
}

// What the regression says of all objects: means, n x targets, and variances, n x targets.
struct Told {
  Dense means, variances;
  std::vector<double> scales, log_likelihoods;
};

// Of the process of all training rows with the covariance s K~ + s lambda I, s the most likely.
Told by_process(const EntryFunction& entry, Index n, const std::vector<Index>& rows, const std::vector<Index>& centers,
                double lambda) {
  const Index m = std::ssize(centers), count = std::ssize(rows);
  const Dense all = dense(n, m, [&](Index i, Index k) { return entry(i, centers[k]); });
  const Dense w = dense(m, m, [&](Index a, Index b) { return entry(centers[a], centers[b]); });
  const Dense low = test::product(test::product(all, test::inverse(w)), test::transposed(all));
  const Dense system =
      dense(count, count, [&](Index i, Index j) { return low(rows[i], rows[j]) + (i == j ? lambda : 0.0); });
  const Dense factor = cholesky_factor(system), inverse = test::inverse(system);
  const Dense cross = dense(n, count, [&](Index i, Index j) { return low(i, rows[j]); });
  const Dense weights = test::product(cross, inverse);
  Told told{.means = dense(n, q, [](Index, Index) { return 0.0; }),
            .variances = dense(n, q, [](Index, Index) { return 0.0; })};
  for (Index t = 0; t < q; ++t) {
    double mean = 0.0, form = 0.0, log_determinant = 0.0;
    for (const Index i : rows) mean += wave(i, t) / static_cast<double>(count);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < count; ++j) form += (wave(rows[i], t) - mean) * inverse(i, j) * (wave(rows[j], t) - mean);
    }
    const double scale = form / static_cast<double>(count);
    for (Index i = 0; i < count; ++i) log_determinant += 2.0 * std::log(factor(i, i)) + std::log(scale);
    told.scales.push_back(scale);
    told.log_likelihoods.push_back(
        -0.5 * (form / scale + log_determinant + static_cast<double>(count) * std::log(2.0 * std::numbers::pi)));
    for (Index i = 0; i < n; ++i) {
      double value = mean, explained = 0.0;
      for (Index j = 0; j < count; ++j) {
        value += weights(i, j) * (wave(rows[j], t) - mean);
        explained += weights(i, j) * cross(i, j);
      }
      told.means(i, t) = value;
      told.variances(i, t) = scale * (entry(i, i) - explained + lambda);
    }
  }
  return told;
}

template <class T = double>
struct Trial {
  Index n = 0;
  EntryFunction entry;
  std::vector<Index> rows, centers;
  CenterOptions options{.lambdas = {0.2}, .variances = true, .intercept = true};
  int threads = 1;
  CenterModel model{};
  Target target = wave;
  Index targets = q;

  Told tell() {
    Context context(world(), 5);
    Execution execution = {world(), context.phases, context.ledger, threads, 5};
    const FunctionSimilarity<T> similarity(entry);
    const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
    model = fit_centers<T>(execution, similarity, objects, centers, training_on(n, rows, target, targets), options);
    const std::vector<Index> own = own_rows(n, numbers(n, [](Index) { return true; }));
    const std::vector<double> means =
        world().all_gather(predict_by_centers<T>(execution, similarity, objects, objects.gather(world(), model.centers),
                                                 model.coefficients, model.intercepts, targets, own));
    const std::vector<double> spreads = world().all_gather(
        variances_by_centers<T>(execution, similarity, objects, objects.gather(world(), model.centers),
                                model.variances->root, model.lambda, own));
    EXPECT_EQ(std::ssize(spreads), n);
    return {{n, targets, means},
            dense(n, targets, [&](Index i, Index t) { return model.variances->scales[t] * spreads[i]; }),
            model.variances->scales,
            model.variances->log_likelihoods};
  }
};

EntryFunction near_kernel(Index n) { return test::rbf(test::TestPoints(n, 3), 1.5); }

void expect_alike(const Told& found, const Told& expected, double delta) {
  EXPECT_LT(test::difference(found.means, expected.means), delta);
  EXPECT_LT(test::difference(found.variances, expected.variances), delta);
  for (Index t = 0; t < q; ++t) {
    EXPECT_NEAR(found.scales[t] / expected.scales[t], 1.0, delta);
    EXPECT_NEAR(found.log_likelihoods[t], expected.log_likelihoods[t], delta * std::abs(expected.log_likelihoods[t]));
  }
}

TEST(CenterVariances, AreThoseOfTheProcessOfAllRows) {
  constexpr Index n = 240, m = 21;
  for (const double lambda : {0.02, 2.0}) {
    for (const int threads : {1, 3}) {
      Trial<> trial{n, near_kernel(n), numbers(n, [](Index i) { return i % 200 < 110 && i % 5 != 3; }),
                    center_numbers(n, m)};
      trial.options.lambdas = {lambda};
      trial.threads = threads;
      expect_alike(trial.tell(), by_process(trial.entry, n, trial.rows, trial.centers, lambda), 1e-8);
    }
  }
}

TEST(CenterVariances, OfFewerRowsThanCenters) {
  constexpr Index n = 120, m = 30;
  Trial<> trial{n, near_kernel(n), numbers(n, [](Index i) { return i % 6 == 1; }), center_numbers(n, m)};
  expect_alike(trial.tell(), by_process(trial.entry, n, trial.rows, trial.centers, 0.2), 1e-8);
}

TEST(CenterVariances, TakeDuplicatesAmongTheCenters) {
  constexpr Index n = 200, m = 25;
  Trial<> trial{n, near_kernel(n), numbers(n, [](Index i) { return i % 3 != 0; }), center_numbers(n, m)};
  const Told expected = by_process(trial.entry, n, trial.rows, trial.centers, 0.2);
  for (const Index k : {3, 4, 11}) trial.centers.push_back(trial.centers[static_cast<std::size_t>(k)]);
  expect_alike(trial.tell(), expected, 1e-7);
}

TEST(CenterVariances, TakeSinglePrecision) {
  constexpr Index n = 240, m = 21;
  Trial<float> trial{n, near_kernel(n), numbers(n, [](Index i) { return i % 3 != 0; }), center_numbers(n, m)};
  expect_alike(trial.tell(), by_process(trial.entry, n, trial.rows, trial.centers, 0.2), 1e-4);
}

// The chosen lambda's variances are of all training rows, whoever chose it.
TEST(CenterVariances, AreOfTheChosenLambdaOnAllRows) {
  constexpr Index n = 400, m = 21;
  const std::vector<Index> rows = numbers(n, [](Index i) { return i % 7 != 0; });
  const TrainingSet others = training_on(n, numbers(n, [](Index i) { return i % 7 == 0; }), wave, q);
  for (const TrainingSet* choosing : {static_cast<const TrainingSet*>(nullptr), &others}) {
    Trial<> trial{n, near_kernel(n), rows, center_numbers(n, m)};
    trial.options.lambdas = {1e-2, 1.0, 1000.0};
    trial.options.choosing = choosing;
    const Told found = trial.tell();
    expect_alike(found, by_process(trial.entry, n, rows, trial.centers, trial.model.lambda), 1e-7);
    for (const CenterCandidate& candidate : trial.model.candidates) EXPECT_EQ(candidate.log_likelihoods.size(), q);
    const CenterCandidate& last = trial.model.candidates.back();
    const Told expected = by_process(trial.entry, n, rows, trial.centers, 1000.0);
    if (choosing != nullptr) EXPECT_NEAR(last.log_likelihoods[1] / expected.log_likelihoods[1], 1.0, 1e-8);
  }
}

// A draw of a process with known covariance, of which a third is held out: 95 % intervals hold about so many.
TEST(CenterVariances, CoverWhatAKnownProcessDraws) {
  constexpr Index n = 600, m = 80;
  constexpr double sigma = 1.5, noise = 0.3, half = 1.959963984540054;
  constexpr std::uint64_t seed = 17;
  const EntryFunction entry = test::rbf(test::TestPoints(n, 2), 1.0);
  const Dense factor =
      cholesky_factor(dense(n, n, [&](Index i, Index j) { return entry(i, j) + (i == j ? 1e-9 : 0.0); }));
  const Random random(seed, Stream::test);
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    double sum = 20.0 + noise * random.normal(static_cast<std::uint64_t>(i), 1);
    for (Index k = 0; k <= i; ++k) sum += sigma * factor(i, k) * random.normal(static_cast<std::uint64_t>(k), 0);
    values.push_back(sum);
  }
  Trial<> trial{n, entry, numbers(n, [](Index i) { return i % 3 != 0; }), center_numbers(n, m)};
  trial.options.lambdas = {noise * noise / (sigma * sigma)};
  trial.target = [&](Index i, Index) { return values[i]; };
  trial.targets = 1;
  const Told told = trial.tell();
  double inside = 0.0, count = 0.0;
  for (Index i = 0; i < n; i += 3) {
    if (std::abs(values[i] - told.means(i, 0)) <= half * std::sqrt(told.variances(i, 0))) inside += 1.0;
    count += 1.0;
  }
  if (world().is_root())
    std::printf("seed %d: coverage %.3f, sigma %.3f\n", static_cast<int>(seed), inside / count,
                std::sqrt(told.scales[0]));
  EXPECT_GT(inside / count, 0.90);
  EXPECT_LT(inside / count, 0.98);
  EXPECT_NEAR(std::sqrt(told.scales[0]) / sigma, 1.0, 0.15);
}

TEST(CenterVariances, SayWhatTheyCannotDo) {
  constexpr Index n = 200, m = 12;
  const test::TestPoints points(n, 3);
  Trial<> trial{n, near_kernel(n), numbers(n, [](Index) { return true; }), center_numbers(n, m)};
  const auto run = [&] { (void)trial.tell(); };
  trial.options.solver = CenterSolver::iterative;
  test::expect_error(run, ErrorKind::usage, {"needs the direct solver, and 12 centers"});
  trial.options.solver = CenterSolver::direct;
  trial.target = [](Index, Index) { return 3.0; };
  test::expect_error(run, ErrorKind::numeric, {"no variance is left"});
  trial.target = wave;
  trial.entry = [&](Index i, Index j) { return std::tanh(0.6 * points.dot(i, j) - 0.3); };
  test::expect_error(run, ErrorKind::numeric, {"variances need a positive semidefinite kernel"});
}

}  // namespace
}  // namespace cairn::center_variance_test
