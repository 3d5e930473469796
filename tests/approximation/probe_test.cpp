#include "approximation/probe.hpp"

#include <gmock/gmock.h>

#include "approximation/probe_study.hpp"
#include "approximation/ratio_estimate.hpp"
#include "base/error.hpp"
#include "landmark/function_similarity.hpp"
#include "landmark/remembering_ledger.hpp"
#include "test_communicator.hpp"

namespace cairn {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

NumberedObjects numbered(const Communicator& communicator, Index n) {
  return {RowPartition(n, communicator.size()), communicator.rank()};
}

// L Lᵀ with L(i, c) = factor(i, c).
template <class T = double>
Approximation<T> low_rank(const Communicator& communicator, Index n, Index columns, const EntryFunction& factor) {
  Approximation<T> approximation;
  approximation.left = RowBlock<T>(RowPartition(n, communicator.size()), communicator.rank(), columns);
  for (Index i = approximation.left.range().begin; i < approximation.left.range().end; ++i) {
    for (Index c = 0; c < columns; ++c) {
      approximation.left.dense().row(i)[static_cast<std::size_t>(c)] = static_cast<T>(factor(i, c));
    }
  }
  approximation.joining = IdentityJoining{columns};
  return approximation;
}

// The Nystrom approximation of K from its objects 0 .. columns - 1, by Cholesky elimination on every rank.
EntryFunction nystrom_factor(const EntryFunction& entry, Index n, Index columns) {
  std::vector<std::vector<double>> factor;
  for (Index pivot = 0; pivot < columns; ++pivot) {
    std::vector<double> column(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] = entry(static_cast<Index>(i), pivot);
      for (const auto& other : factor) column[i] -= other[i] * other[static_cast<std::size_t>(pivot)];
    }
    const double root = std::sqrt(column[static_cast<std::size_t>(pivot)]);
    for (double& value : column) value /= root;
    factor.push_back(std::move(column));
  }
  return [factor](Index i, Index c) { return factor[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)]; };
}

template <class T>
ErrorEstimate probe(const Communicator& communicator, const Approximation<T>& approximation,
                    const Similarity<T>& similarity, Index pairs, std::uint64_t seed = 1) {
  test::Context context(communicator, seed);
  return probe_error(context.execution, approximation, similarity, numbered(communicator, approximation.left.rows()),
                     pairs);
}

TEST(Probe, PairsByDefaultAreHalfAPercentOfTheEvaluationsWithinBounds) {
  EXPECT_EQ(default_probe_pairs(0), 10'000);
  EXPECT_EQ(default_probe_pairs(2'000'000), 10'000);
  EXPECT_EQ(default_probe_pairs(20'000'000), 100'000);
  EXPECT_EQ(default_probe_pairs(Index{1} << 40), 1'000'000);
}

TEST(Probe, WeighsTheDiagonalAsItsShareOfTheMatrix) {
  // K is 10 on the diagonal and 1 off it, K~ is 1 everywhere: each stratum is constant, so that the estimate is exact.
  constexpr Index n = 50;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i == j ? 10.0 : 1.0; });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, 500);
  const double expected = n * 81.0 / (n * (n - 1) + n * 100.0);
  EXPECT_NEAR(estimate.relative_squared_error, expected, 1e-12);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(expected), 1e-12);
  EXPECT_NEAR(estimate.relative_error_standard_error, 0.0, 1e-8);
  EXPECT_DOUBLE_EQ(estimate.largest_entry_error, 9.0);
  EXPECT_EQ(estimate.pairs, 500);
  EXPECT_EQ(estimate.diagonal, n);
  EXPECT_EQ(estimate.evaluations, 500 + n);
  EXPECT_EQ(world().sum(similarity.evaluations()), 500 + n);
}

TEST(Probe, ComparesTheWholeDiagonal) {
  constexpr Index n = 1500;
  const FunctionSimilarity<float> similarity([](Index i, Index j) { return i == j ? 1.0 + 0.001 * i : 1.0; });
  const auto approximation = low_rank<float>(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<float>(world(), approximation, similarity, 100);
  double square = 0.0, reference = n * (n - 1.0);
  for (Index i = 0; i < n; ++i) square += 1e-6 * i * i, reference += std::pow(1.0 + 0.001 * i, 2);
  EXPECT_EQ(estimate.diagonal, n);
  EXPECT_EQ(estimate.evaluations, n + 100);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(square / reference), 3.0 * estimate.relative_error_standard_error);
  EXPECT_LT(estimate.relative_error_standard_error, 0.05 * estimate.relative_error) << "that of the weights alone";
}

TEST(Probe, FindsTheFewPairsThatCarryTheError) {
  // K is 1, but 2 between the objects i < 20, and K~ = 1: an error in 400 of 4e6 entries, of which 1000 uniform pairs
  // would meet one in ten runs.
  constexpr Index n = 2000, few = 20;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i < few && j < few ? 2.0 : 1.0; });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, 1000);
  const double truth = std::sqrt(few * few / (double{n} * n + 3.0 * few * few));
  EXPECT_NEAR(estimate.relative_error, truth, 3.0 * estimate.relative_error_standard_error);
  EXPECT_GT(estimate.relative_error_standard_error, 0.0);
  EXPECT_LT(estimate.relative_error_standard_error, 0.05 * estimate.relative_error);
}

TEST(Probe, OfValidationDependsOnTheSeedAlone) {
  constexpr Index n = 1500;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i == j ? 2.0 : 1.0; });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  test::Context context;
  const ErrorEstimate estimate =
      validation_error<double>(context.execution, approximation, similarity, numbered(world(), n), 100);
  EXPECT_EQ(estimate.diagonal, 1000);
  EXPECT_EQ(estimate.evaluations, 1100);
  EXPECT_NEAR(estimate.relative_squared_error, n / (n * (n - 1.0) + 4.0 * n), 1e-9);
}

TEST(Probe, AnExactApproximationHasErrorZeroWithoutDoubt) {
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return static_cast<double>((i + 1) * (j + 1)); });
  const auto approximation = low_rank(world(), 40, 1, [](Index i, Index) { return static_cast<double>(i + 1); });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, 100);
  EXPECT_EQ(estimate.relative_error, 0.0);
  EXPECT_EQ(estimate.relative_error_standard_error, 0.0);
  EXPECT_EQ(estimate.relative_squared_error, 0.0);
  EXPECT_EQ(estimate.relative_squared_error_standard_error, 0.0);
  EXPECT_EQ(estimate.largest_entry_error, 0.0);
}

TEST(Probe, OneObjectHasADiagonalEntryAndNoPairs) {
  const FunctionSimilarity<double> similarity([](Index, Index) { return 2.0; });
  const auto approximation = low_rank(world(), 1, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, 100);
  EXPECT_EQ(estimate.pairs, 0);
  EXPECT_EQ(estimate.diagonal, 1);
  EXPECT_DOUBLE_EQ(estimate.relative_error, 0.5);
  EXPECT_EQ(estimate.relative_error_standard_error, 0.0);
}

TEST(Probe, EstimateDoesNotDependOnTheNumberOfRanks) {
  constexpr Index n = 300;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const EntryFunction factor = nystrom_factor(entry, n, 10);
  const FunctionSimilarity<double> similarity(entry);
  const Communicator alone(MPI_COMM_SELF);
  const ErrorEstimate together = probe<double>(world(), low_rank(world(), n, 10, factor), similarity, 3000);
  const ErrorEstimate expected = probe<double>(alone, low_rank(alone, n, 10, factor), similarity, 3000);
  EXPECT_NEAR(together.relative_error / expected.relative_error, 1.0, 1e-12);
  EXPECT_NEAR(together.relative_error_standard_error / expected.relative_error_standard_error, 1.0, 1e-10);
  EXPECT_NEAR(together.largest_entry_error / expected.largest_entry_error, 1.0, 1e-12);
  EXPECT_NE(probe<double>(world(), low_rank(world(), n, 10, factor), similarity, 3000, 2).relative_error,
            together.relative_error);
}

TEST(Probe, WhatTheLedgerHasIsNotEvaluatedAgain) {
  constexpr Index n = 100;
  const FunctionSimilarity<double> similarity(test::rbf(TestPoints(n, 3), 0.3));
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 0.5; });
  Phases phases;
  test::RememberingLedger ledger;
  const Execution execution{world(), phases, ledger, 1, 1};
  const auto run = [&] {
    return probe_error<double>(execution, approximation, similarity, numbered(world(), n), 1000);
  };
  const ErrorEstimate first = run();
  const ErrorEstimate second = run();
  EXPECT_EQ(first.evaluations, 1000 + n);
  EXPECT_EQ(second.evaluations, 0);
  EXPECT_EQ(second.relative_error, first.relative_error);
}

TEST(Probe, AFailingEntryIsTheSameErrorOnEveryRank) {
  constexpr Index n = 100;
  const FunctionSimilarity<double> similarity([](Index i, Index j) -> double {
    if (i == j && i == 37) throw Error(ErrorKind::numeric, "object 37 is bad");
    return 1.0;
  });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  try {
    static_cast<void>(probe<double>(world(), approximation, similarity, 1000));
    ADD_FAILURE() << "the error was lost";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "object 37 is bad");
  }
}

TEST(Probe, TheTrueErrorLiesWithinTwoStandardErrors) {
  constexpr Index n = 300;
  constexpr std::uint64_t seeds = 40;
  const EntryFunction entry = test::rbf(TestPoints(n, 3, 4), 0.2);
  const FunctionSimilarity<double> similarity(entry);
  const auto objects = numbered(world(), n);
  test::ProbeStudy<double> study(similarity, objects, 5000);
  const EntryFunction factor = nystrom_factor(entry, n, 15);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    study.add(seed, [&](const Execution&) { return low_rank(world(), n, 15, factor); });
  }
  EXPECT_GE(study.coverage(), 0.9) << "seeds 0 to 39";
  EXPECT_LT(std::abs(study.bias()), 0.02);
  EXPECT_LT(study.relative_standard_error(), 0.1);
  EXPECT_NEAR(study.standard_error() / study.spread(), 1.0, 0.3) << "the spread of 40 estimates is known to 11 %";
}

TEST(Probe, AMatrixOfZerosHasNoRelativeError) {
  const FunctionSimilarity<double> similarity([](Index, Index) { return 0.0; });
  const auto approximation = low_rank(world(), 30, 1, [](Index, Index) { return 1.0; });
  try {
    static_cast<void>(probe<double>(world(), approximation, similarity, 100));
    ADD_FAILURE() << "a relative error was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
  }
}

TEST(Probe, FewerThanTwoPairsAreAUsageError) {
  const FunctionSimilarity<double> similarity([](Index, Index) { return 1.0; });
  const auto approximation = low_rank(world(), 30, 1, [](Index, Index) { return 1.0; });
  try {
    static_cast<void>(probe<double>(world(), approximation, similarity, 1));
    ADD_FAILURE() << "one pair was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("evaluation.pairs is 1"));
  }
}

TEST(RatioEstimate, AgreesWithAnEstimateByHand) {
  // e = 1, 3 and k = 2, 2 of 10 units: R = 2 / 2, s²(e - k) = 2, se(R) = sqrt(0.8 * 2 / 2) / 2.
  Stratum stratum{{}, 10.0, false};
  stratum.sums.add(1.0, 2.0);
  stratum.sums.add(3.0, 2.0);
  const ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1));
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error, 1.0);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error_standard_error, std::sqrt(0.8) / 2.0);
  EXPECT_DOUBLE_EQ(estimate.relative_error_standard_error, std::sqrt(0.8) / 4.0);
  stratum.with_replacement = true;
  EXPECT_DOUBLE_EQ(estimate_ratio(std::span(&stratum, 1)).relative_squared_error_standard_error, 0.5);
}

TEST(RatioEstimate, SkewedErrorsWidenTheStandardError) {
  // One unit in 50 has a large error; central moments in two passes.
  constexpr int m = 200;
  Stratum stratum{{}, 1000.0, true};
  std::vector<double> errors;
  for (int i = 0; i < m; ++i) errors.push_back(i % 50 == 0 ? 9.0 : 0.1 + 0.001 * i);
  double mean = 0.0;
  for (const double error : errors) {
    stratum.sums.add(error, 1.0);
    mean += error / m;
  }
  double central[5] = {};
  for (const double error : errors)
    for (int power = 2; power <= 4; ++power) central[power] += std::pow(error - mean, power) / m;
  const double variance = central[2] / (m - 1);
  const double skewness = central[3] / (m * m) / std::pow(variance, 1.5);
  const double kurtosis = (central[4] - 3.0 * central[2] * central[2]) / (double{m} * m * m) / (variance * variance);
  const double factor = 1.0 + 7.0 / 6.0 * skewness * skewness - kurtosis / 12.0;
  ASSERT_GT(factor, 1.1);
  const ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1));
  EXPECT_NEAR(estimate.relative_squared_error, mean, 1e-12);
  EXPECT_NEAR(estimate.relative_squared_error_standard_error, factor * std::sqrt(variance), 1e-10);
}

TEST(RatioEstimate, AStratumThatWasTakenWholeAddsNoDoubt) {
  Stratum strata[] = {{{}, 2.0, false}, {{}, 0.0, true}};
  strata[0].sums.add(1.0, 2.0);
  strata[0].sums.add(3.0, 2.0);
  const ErrorEstimate estimate = estimate_ratio(strata);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error, 1.0);
  EXPECT_EQ(estimate.relative_squared_error_standard_error, 0.0);
}

}  // namespace
}  // namespace cairn
