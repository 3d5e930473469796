// Parameters of Gaussian processes by their likelihood, on any number of ranks.
#include "cairn/task/gaussian/process_fit.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cairn/task/gaussian/process_features.hpp"
#include "expected_errors.hpp"
#include "plain_process.hpp"
#include "test_communicator.hpp"

namespace cairn::process_fit_test {
namespace {

using test::Context;
using test::PlainProcess;
using test::world;

constexpr Index n = 70, columns = 2;

double smooth(std::span<const double> x) { return std::sin(2.0 * x[0]) + 0.5 * x[1]; }

double deviate(Index i) { return Random(3, Stream::test).normal(static_cast<std::uint64_t>(i), 2); }

// Two targets: a smooth function with noise 0.2 about it, about 100 and 5 times as large; and noise alone.
ProcessRows sample(Index count = n) {
  const test::Rows rows = test::random_rows(count, columns);
  ProcessRows made{.rows = {}, .features = rows.values, .columns = columns, .targets = {}, .target_count = 2};
  for (Index i = 0; i < count; ++i) {
    made.rows.push_back(3 * i);
    made.targets.push_back(100.0 + 5.0 * (smooth(rows.row(i)) + 0.2 * deviate(i)));
    made.targets.push_back(deviate(i + 1000));
  }
  return made;
}

std::vector<ProcessFit> fit(const ProcessRows& rows, const Communicator& ranks = world()) {
  Context context(ranks);
  return fit_processes(context.execution, rows, {"y", "z"});
}

std::vector<double> standardized(const ProcessRows& rows, const ProcessFit& found, Index target) {
  std::vector<double> values = centered(rows.targets, rows.target_count, target, found.mean);
  for (double& value : values) value /= found.scale;
  return values;
}

TEST(ProcessFits, FindTheLargestLikelihood) {
  const ProcessRows rows = sample();
  const test::Rows plain{n, columns, rows.features};
  const std::vector<ProcessFit> fits = fit(rows);
  ASSERT_EQ(fits.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    const ProcessFit& found = fits[t];
    const auto at = [&](const CovarianceParameters& p) {
      const CovarianceParameters own{p.sigma / found.scale, p.length, p.noise / found.scale};
      return PlainProcess(plain, standardized(rows, found, static_cast<Index>(t)), own).log_likelihood();
    };
    EXPECT_NEAR(found.log_likelihood, at(found.parameters), 1e-8);
    ASSERT_EQ(found.starts.size(), 4U);
    for (const ProcessStart& start : found.starts) {
      EXPECT_TRUE(start.converged);
      EXPECT_LE(start.log_likelihood, found.log_likelihood + 1e-4);
    }
    for (const double factor : {0.9, 1.1}) {
      const auto [sigma, length, noise] = found.parameters;
      EXPECT_LE(at({sigma * factor, length, noise}), found.log_likelihood + 1e-6);
      EXPECT_LE(at({sigma, length * factor, noise}), found.log_likelihood + 1e-6);
      EXPECT_LE(at({sigma, length, noise * factor}), found.log_likelihood + 1e-6);
    }
  }
  // In the target's units; 70 rows tell the noise to some tenth.
  EXPECT_NEAR(fits[0].parameters.noise, 1.0, 0.25);
  EXPECT_NEAR(fits[0].mean, 100.0, 2.0);
  EXPECT_TRUE(fit_warnings(fits[0], "y").empty());
  // Nothing but noise.
  EXPECT_NEAR(std::hypot(fits[1].parameters.noise, fits[1].parameters.sigma), fits[1].scale, 0.25 * fits[1].scale);
}

TEST(ProcessFits, AreTheSameOnAnyNumberOfRanks) {
  const ProcessRows rows = sample();
  const std::vector<ProcessFit> found = fit(rows);
  const Communicator alone(MPI_COMM_SELF);
  const std::vector<ProcessFit> expected = fit(rows, alone);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(found[t].chosen, expected[t].chosen);
    EXPECT_EQ(found[t].log_likelihood, expected[t].log_likelihood);
    EXPECT_EQ(found[t].parameters.sigma, expected[t].parameters.sigma);
    EXPECT_EQ(found[t].parameters.length, expected[t].parameters.length);
    EXPECT_EQ(found[t].parameters.noise, expected[t].parameters.noise);
    EXPECT_EQ(found[t].median_distance, expected[t].median_distance);
  }
}

TEST(ProcessFits, DoNotDependOnUnits) {
  ProcessRows rows = sample();
  const ProcessFit before = fit(rows)[0];
  for (double& value : rows.features) value *= 1e6;
  for (double& value : rows.targets) value = 1e-3 * value + 7.0;
  const ProcessFit after = fit(rows)[0];
  EXPECT_NEAR(after.log_likelihood, before.log_likelihood, 1e-5);
  EXPECT_NEAR(after.parameters.length, 1e6 * before.parameters.length, 1e3 * before.parameters.length);
  EXPECT_NEAR(after.parameters.sigma, 1e-3 * before.parameters.sigma, 1e-5 * before.parameters.sigma);
  EXPECT_NEAR(after.parameters.noise, 1e-3 * before.parameters.noise, 1e-5 * before.parameters.noise);
}

TEST(ProcessFits, OfExactTargetsHaveHardlyAnyNoise) {
  ProcessRows rows = sample();
  rows.targets.clear();
  rows.target_count = 1;
  const test::Rows plain{n, columns, rows.features};
  for (Index i = 0; i < n; ++i) rows.targets.push_back(smooth(plain.row(i)));
  Context context;
  const ProcessFit found = fit_processes(context.execution, rows, {"y"}).front();
  EXPECT_LT(found.parameters.noise, 0.01 * found.scale);
  const GaussianProcess process(rows.view(), centered(rows.targets, 1, 0, found.mean), found.parameters, 1);
  const test::Rows unseen{3, columns, {0.1, 0.2, -0.5, 0.4, 0.6, -0.3}};
  const std::vector<Normal> predicted = process.predict(unseen.view());
  for (Index i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_NEAR(predicted[at].mean + found.mean, smooth(unseen.row(i)), 0.05);
    EXPECT_LT(predicted[at].standard_deviation, 0.1);
  }
}

TEST(ProcessFits, TakeDuplicates) {
  ProcessRows rows = sample();
  std::copy_n(rows.features.begin(), n, rows.features.begin() + n);  // rows 35 .. 69 are rows 0 .. 34
  const std::vector<ProcessFit> found = fit(rows);
  EXPECT_TRUE(std::isfinite(found[0].log_likelihood));
  EXPECT_GT(found[0].parameters.noise, 0.0);
  // All rows are equal: the mean is predicted.
  for (Index i = 1; i < n; ++i) std::copy_n(rows.features.begin(), columns, rows.features.begin() + columns * i);
  const ProcessFit flat = fit(rows)[0];
  EXPECT_EQ(flat.median_distance, 0.0);
  EXPECT_THAT(fit_warnings(flat, "y"), testing::Contains(testing::HasSubstr("all training rows are equal")));
  const GaussianProcess process(rows.view(), centered(rows.targets, 2, 0, flat.mean), flat.parameters, 1);
  EXPECT_NEAR(process.predict({rows.features.data(), 1, columns}).front().mean, 0.0, 0.01 * flat.scale);
}

TEST(ProcessFits, RefuseWhatCannotBeLearned) {
  test::expect_error([] { static_cast<void>(fit(sample(0))); }, ErrorKind::input, {"there is no row to train on"});
  ProcessRows one = sample(1);
  one.rows = {17};
  test::expect_error([&] { static_cast<void>(fit(one)); }, ErrorKind::input, {"one row to train on, row 17"});
  EXPECT_EQ(fit(sample(2)).size(), 2U);
  ProcessRows constant = sample();
  for (std::size_t i = 0; i < constant.targets.size(); i += 2) constant.targets[i] = 0.1;
  test::expect_error([&] { static_cast<void>(fit(constant)); }, ErrorKind::input,
                     {"the target y is 0.1 in all 70 training rows"});
  for (std::size_t i = 0; i < constant.targets.size(); i += 2) constant.targets[i] = 0.0;
  test::expect_error([&] { static_cast<void>(fit(constant)); }, ErrorKind::input, {"the target y is 0 in all"});
  ProcessRows huge = sample();
  huge.features[5] = 1e200;
  test::expect_error([&] { static_cast<void>(fit(huge)); }, ErrorKind::numeric, {"is not finite"});
  test::expect_error([] { require_process_rows(most_process_rows + 1); }, ErrorKind::resource,
                     {"at most 10,000 of them, not 10,001"});
  require_process_rows(most_process_rows);
}

// Predictions at the rows of a factor.
template <class T>
Factor<T> make_factor(bool sparse) {
  const test::Rows rows = test::random_rows(n, columns);
  const RowPartition partition(n, world().size());
  const Range own = partition.range(world().rank());
  RowBlock<T> block(partition, world().rank(), columns);
  std::vector<Index> starts = {0}, indices;
  std::vector<T> values;
  for (Index i = own.begin; i < own.end; ++i) {
    for (Index k = 0; k < columns; ++k) {
      const auto value = static_cast<T>((i + k) % 3 == 0 ? 0.0 : rows.row(i)[k]);
      block.row(i)[k] = value;
      if (value == T{0}) continue;
      indices.push_back(k);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(indices.size()));
  }
  if (!sparse) return block;
  return SparseRows<T>(partition, world().rank(), columns, std::move(starts), std::move(indices), std::move(values));
}

template <class T>
std::vector<Normal> predicted(bool sparse) {
  const ProcessRows known = sample();
  const GaussianProcess process(known.view(), centered(known.targets, 2, 0, 100.0), {5.0, 1.0, 1.0}, 1);
  const Factor<T> factor = make_factor<T>(sparse);
  std::vector<Index> own;
  for (Index i = factor.range().begin; i < factor.range().end; ++i) {
    if (i % 4 != 1) own.push_back(i);
  }
  Context context;
  return world().all_gather(predict(context.execution, process, factor, own));
}

TEST(ProcessPredictions, OfDenseAndSparseFactorsAreAlike) {
  const std::vector<Normal> dense = predicted<double>(false), sparse = predicted<double>(true),
                            single = predicted<float>(true);
  ASSERT_EQ(std::ssize(dense), n - (n + 2) / 4);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    EXPECT_EQ(dense[i].mean, sparse[i].mean);
    EXPECT_EQ(dense[i].standard_deviation, sparse[i].standard_deviation);
    EXPECT_NEAR(dense[i].mean, single[i].mean, 1e-4);
  }
}

}  // namespace
}  // namespace cairn::process_fit_test
