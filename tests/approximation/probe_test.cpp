#include "cairn/approximation/error/probe.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "approximation/probe_study.hpp"
#include "cairn/approximation/error/entry_draws.hpp"
#include "cairn/approximation/error/ratio_estimate.hpp"
#include "cairn/base/error.hpp"
#include "landmark/function_similarity.hpp"
#include "landmark/remembering_ledger.hpp"
#include "test_communicator.hpp"

namespace cairn::probe_test {
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
      approximation.left.dense().row(i)[c] = static_cast<T>(factor(i, c));
    }
  }
  approximation.core_matrix = IdentityCore{columns};
  return approximation;
}

// The Nystrom approximation of K from its objects 0 .. columns - 1, by Cholesky elimination on every rank.
EntryFunction nystrom_factor(const EntryFunction& entry, Index n, Index columns) {
  std::vector<std::vector<double>> factor;
  for (Index pivot = 0; pivot < columns; ++pivot) {
    std::vector<double> column(n);
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] = entry(static_cast<Index>(i), pivot);
      for (const auto& other : factor) column[i] -= other[i] * other[pivot];
    }
    const double root = std::sqrt(column[pivot]);
    for (double& value : column) value /= root;
    factor.push_back(std::move(column));
  }
  return [factor](Index i, Index c) { return factor[c][i]; };
}

template <class T>
ErrorEstimate probe(const Communicator& communicator, const Approximation<T>& approximation,
                    const Similarity<T>& similarity, const EstimateEffort& effort, std::uint64_t seed = 1) {
  test::Context context(communicator, seed);
  return probe_error(context.execution, approximation, similarity, numbered(communicator, approximation.left.rows()),
                     effort);
}

TEST(Probe, PairsByDefaultAreHalfAPercentOfTheEvaluationsWithinBounds) {
  EXPECT_EQ(default_probe_pairs(0), 10'000);
  EXPECT_EQ(default_probe_pairs(2'000'000), 10'000);
  EXPECT_EQ(default_probe_pairs(20'000'000), 100'000);
  EXPECT_EQ(default_probe_pairs(Index{1} << 40), 1'000'000);
}

TEST(Probe, WeighsTheDiagonalAsItsShareOfTheMatrix) {
  // K is 10 on the diagonal and 1 off it, K~ is 1 everywhere: each stratum is constant, and its draws say the same.
  constexpr Index n = 50;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i == j ? 10.0 : 1.0; });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 500});
  const double expected = n * 81.0 / (n * (n - 1) + n * 100.0);
  EXPECT_NEAR(estimate.relative_squared_error, expected, 1e-12);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(expected), 1e-12);
  EXPECT_DOUBLE_EQ(estimate.relative_error_standard_error, estimate.relative_error / 500) << "what no pair met";
  EXPECT_DOUBLE_EQ(estimate.largest_entry_error, 9.0);
  EXPECT_EQ(estimate.pairs, 500);
  EXPECT_EQ(estimate.diagonal, n);
  EXPECT_EQ(estimate.evaluations, 500 + n);
  EXPECT_EQ(world().sum(similarity.evaluations()), 500 + n);
}

TEST(Probe, StopsWhereTheErrorIsKnown) {
  constexpr Index n = 5000;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const EntryFunction factor = nystrom_factor(entry, n, 10);
  const FunctionSimilarity<double> similarity(entry);
  const auto approximation = low_rank(world(), n, 10, factor);
  const ErrorEstimate rough = probe<double>(world(), approximation, similarity, {.precision = 0.1});
  const ErrorEstimate fine = probe<double>(world(), approximation, similarity, {.precision = 0.01});
  EXPECT_EQ(rough.stopped_by, StoppedBy::precision);
  EXPECT_EQ(fine.stopped_by, StoppedBy::precision);
  EXPECT_LE(rough.relative_error_standard_error, 0.1 * rough.relative_error);
  EXPECT_LE(fine.relative_error_standard_error, 0.01 * fine.relative_error);
  EXPECT_LT(rough.pairs, fine.pairs);
  EXPECT_EQ(rough.diagonal, n);
  EXPECT_EQ(rough.evaluations, rough.pairs + rough.diagonal);
  EXPECT_NEAR(rough.relative_error, fine.relative_error, 3.0 * rough.relative_error_standard_error);
}

TEST(Probe, StopsWhereItsTimeIsSpentOnAllRanksAtOnce) {
  constexpr Index n = 3000;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const FunctionSimilarity<double> similarity(entry);
  const auto approximation = low_rank(world(), n, 10, nystrom_factor(entry, n, 10));
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.precision = 0.0, .seconds = 0.0});
  EXPECT_EQ(estimate.stopped_by, StoppedBy::time);
  EXPECT_LE(estimate.pairs, 4096);
  EXPECT_GT(estimate.pairs, 4000) << "whole runs";
  EXPECT_EQ(estimate.diagonal, n);
  const ErrorEstimate more = probe<double>(world(), approximation, similarity, {.precision = 0.0, .seconds = 0.05});
  EXPECT_EQ(world().maximum(more.pairs), -world().maximum(-more.pairs)) << "whatever the clocks of the ranks say";
}

TEST(Probe, ComparesAllEntriesOfASmallMatrix) {
  constexpr Index n = 30;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const EntryFunction factor = nystrom_factor(entry, n, 5);
  const FunctionSimilarity<double> similarity(entry);
  const ErrorEstimate estimate = probe<double>(world(), low_rank(world(), n, 5, factor), similarity, {});
  double error = 0.0, reference = 0.0, sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double value = 0.0;
      for (Index c = 0; c < 5; ++c) value += factor(i, c) * factor(j, c);
      error += std::pow(value - entry(i, j), 2), reference += std::pow(entry(i, j), 2), sum += entry(i, j);
    }
  }
  EXPECT_EQ(estimate.stopped_by, StoppedBy::all);
  EXPECT_EQ(estimate.evaluations, n * n);
  EXPECT_NEAR(estimate.relative_squared_error, error / reference, 1e-12);
  EXPECT_EQ(estimate.relative_error_standard_error, 0.0);
  EXPECT_NEAR(estimate.constant_error, std::sqrt(1.0 - sum * sum / (n * n * reference)), 1e-12);
  EXPECT_EQ(estimate.constant_error_standard_error, 0.0);
}

TEST(Probe, KnowsTheErrorOfTheBestConstant) {
  // K is nearly constant: the mean in place of every entry is off by little.
  constexpr Index n = 400;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.001);
  const FunctionSimilarity<double> similarity(entry);
  double sum = 0.0, squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) sum += entry(i, j), squares += entry(i, j) * entry(i, j);
  }
  const double truth = std::sqrt(1.0 - sum * sum / (squares * n * n));
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 5000});
  EXPECT_NEAR(estimate.constant_error, truth, 3.0 * estimate.constant_error_standard_error);
  EXPECT_LT(estimate.constant_error_standard_error, 0.1 * truth);
  EXPECT_GT(estimate.constant_error_standard_error, 0.0);
}

TEST(Probe, OfARunTakesATenthOfItsEvaluationsWithinBounds) {
  constexpr Index n = 200'000;
  const auto size = [](Index rows, Index columns, std::optional<Index> pairs = {}) {
    return probe_size({rows, rows, true, columns}, pairs, share_of_run);
  };
  EXPECT_EQ(size(1000, 50).pairs, 5000);
  EXPECT_EQ(size(1000, 50).diagonal, 1000) << "all";
  EXPECT_EQ(size(n, 1).pairs, 20'000);
  EXPECT_EQ(size(n, 1000).pairs, Index{1} << 18);
  EXPECT_EQ(size(10'000, 1).pairs, 4096) << "fewer say little";
  EXPECT_EQ(size(10'000, 1).diagonal, 1024);
  EXPECT_EQ(size(50, 10).pairs, 50 * 49) << "all that there are";
  EXPECT_EQ(size(n, 100).diagonal, 65'536);
  EXPECT_EQ(size(n, 200).diagonal, 25'000) << "a row of L J costs 40,000 multiply-adds";
  EXPECT_EQ(size(n, 2000).diagonal, 2048);
  EXPECT_EQ(size(n, 1000).first, 4096 + 2048);
  EXPECT_EQ(size(n, 1000, 100).pairs, 100);
  EXPECT_EQ(size(n, 1000, 100).diagonal, 10'000);
  EXPECT_EQ(probe_size({n, n, true, 1000}, {}, EstimateEffort::no_limit).diagonal, 65'536);
  EXPECT_EQ(size(n, 10, 100).diagonal, 65'536);
  const ProbeSize rectangular = probe_size({100, 300, false, 10}, {}, EstimateEffort::no_limit);
  EXPECT_EQ(rectangular.pairs, 30'000);
  EXPECT_EQ(rectangular.diagonal, 0);
}

TEST(Probe, ComparesTheWholeDiagonal) {
  constexpr Index n = 1500;
  const FunctionSimilarity<float> similarity([](Index i, Index j) { return i == j ? 1.0 + 0.001 * i : 1.0; });
  const auto approximation = low_rank<float>(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<float>(world(), approximation, similarity, {.count = 1000});
  double square = 0.0, reference = n * (n - 1.0);
  for (Index i = 0; i < n; ++i) square += 1e-6 * i * i, reference += std::pow(1.0 + 0.001 * i, 2);
  EXPECT_EQ(estimate.diagonal, n);
  EXPECT_EQ(estimate.evaluations, n + 1000);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(square / reference), 3.0 * estimate.relative_error_standard_error);
  EXPECT_LT(estimate.relative_error_standard_error, 0.05 * estimate.relative_error) << "that of the weights alone";
}

TEST(Probe, FindsTheFewPairsThatCarryTheError) {
  // K is 1, but 2 between the objects i < 20, and K~ = 1: an error in 400 of 4e6 entries, of which 1000 uniform pairs
  // would meet one in ten runs.
  constexpr Index n = 2000, few = 20;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i < few && j < few ? 2.0 : 1.0; });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 1000});
  const double truth = std::sqrt(few * few / (double{n} * n + 3.0 * few * few));
  EXPECT_NEAR(estimate.relative_error, truth, 3.0 * estimate.relative_error_standard_error);
  EXPECT_GT(estimate.relative_error_standard_error, 0.0);
  EXPECT_LT(estimate.relative_error_standard_error, 0.05 * estimate.relative_error);
}

TEST(Probe, MeetsTheFewLargeEntriesThatTheLandmarksSee) {
  // K is 1 within each of 400 groups of 10 objects, and 0 elsewhere; K~ has the first 50 groups. Of uniform pairs one
  // in 3200 is in a group that K~ has.
  constexpr Index n = 4000, size = 10, seen = 50;
  const FunctionSimilarity<double> similarity([](Index i, Index j) { return i / size == j / size ? 1.0 : 0.0; });
  const auto approximation = low_rank(world(), n, seen, [](Index i, Index c) { return i / size == c ? 1.0 : 0.0; });
  const double truth = std::sqrt(1.0 - double{seen} * size / n);
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.share = share_of_run}, seed);
    const auto [low, high] = estimate.interval();
    covered += low <= truth && truth <= high ? 1 : 0;
    EXPECT_LT(high - low, 0.2);
  }
  EXPECT_GE(covered, 17) << "seeds 0 to 19";
}

TEST(Probe, AnEvenMatrixIsProbedUniformly) {
  // K~ is 1 and K is 3: all parts would be uniform, and every draw says the same.
  const FunctionSimilarity<double> similarity([](Index, Index) { return 3.0; });
  const auto approximation = low_rank(world(), 500, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 200});
  EXPECT_NEAR(estimate.relative_error, 2.0 / 3.0, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.relative_error_standard_error, estimate.relative_error / 200);
  EXPECT_EQ(estimate.pairs, 200);
}

TEST(EntryDraws, AddUpToTheSumOverAllEntries) {
  // Sums of i + 2 j over the entries off the diagonal, from a uniform part and one by weights.
  constexpr Index n = 40, count = 200'000;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 7));
  const Distribution uniform(n), uneven(weights);
  const EntryDraws draws({{uniform, uniform}, {uneven, uneven}}, 4, true, Random(1, Stream::test));
  double sum = 0.0, counted = 0.0;
  for (Index t = 0; t < 2; ++t) {
    const EntryDraws::Drawn drawn = draws.draw(t, {0, count});
    for (std::size_t a = 0; a < drawn.densities.size(); ++a) {
      const Index i = drawn.entries.rows[a], j = drawn.entries.columns[a];
      ASSERT_NE(i, j);
      ASSERT_EQ(i, drawn.entries.rows[a / 4 * 4]) << "a run has one row";
      const double weight = 1.0 / (n * (n - 1.0) * drawn.densities[a]);
      sum += weight * static_cast<double>(i + 2 * j);
      counted += weight;
    }
  }
  EXPECT_NEAR(counted / (2 * count), 1.0, 0.02);
  EXPECT_NEAR(sum / (2 * count), 3 * (n - 1) / 2.0, 0.03 * 3 * (n - 1) / 2.0);
  const EntryDraws::Drawn whole = draws.draw(1, {0, 80}), rest = draws.draw(1, {40, 80});
  EXPECT_TRUE(std::ranges::equal(std::span(whole.entries.columns).subspan(40), rest.entries.columns));
  EXPECT_TRUE(std::ranges::equal(std::span(whole.densities).subspan(40), rest.densities));
}

TEST(Distribution, LeavesOutWhatIsExcluded) {
  const Distribution weighted({1.0, 0.0, 2.0, 1.0}), uniform(4);
  EXPECT_EQ(weighted.at(0.0), 0);
  EXPECT_EQ(weighted.at(0.25), 2);
  EXPECT_EQ(weighted.at(0.999), 3);
  EXPECT_EQ(weighted.without(0.49, 2), 0);
  EXPECT_EQ(weighted.without(0.51, 2), 3);
  EXPECT_DOUBLE_EQ(weighted.probability_without(3, 2), 0.5);
  EXPECT_EQ(uniform.without(0.5, 0), 2);
  EXPECT_EQ(uniform.without(0.0, 3), 0);
  EXPECT_DOUBLE_EQ(uniform.probability_without(1, 0), 1.0 / 3.0);
  EXPECT_TRUE(weighted.has_several());
  EXPECT_FALSE(Distribution({0.0, 3.0}).has_several());
  EXPECT_FALSE(Distribution(1).has_several());
}

TEST(SampledObjects, StandForAllObjects) {
  constexpr Index n = 3000;
  const RowPartition partition(n, world().size());
  const Range own = partition.range(world().rank());
  std::vector<double> energies;
  for (Index i = own.begin; i < own.end; ++i) energies.push_back(i == 77 ? 1.0 : 1e-3);
  const Random random(1, Stream::test);
  const SampledObjects sample = sample_objects(world(), partition, energies, 900, random);
  double weights = 0.0;
  for (std::size_t a = 0; a < sample.ids.size(); ++a) weights += sample.weights[a];
  EXPECT_EQ(std::ssize(sample.ids), 900);
  EXPECT_GT(std::ranges::count(sample.ids, 77), 300) << "a quarter of the energy, and nearly all of its square";
  EXPECT_NEAR(weights / 900, 1.0, 0.1);
  const SampledObjects even = sample_objects(world(), partition, std::nullopt, 900, random);
  EXPECT_EQ(std::set<Index>(even.ids.begin(), even.ids.end()).size(), 900U);
  EXPECT_EQ(even.population, n);
  EXPECT_EQ(std::ssize(sample_objects(world(), partition, energies, n, random).ids), n);
}

TEST(Probe, OfValidationDependsOnTheSeedAlone) {
  constexpr Index n = 2500;
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
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 100});
  EXPECT_EQ(estimate.relative_error, 0.0);
  EXPECT_EQ(estimate.relative_error_standard_error, 0.0);
  EXPECT_EQ(estimate.relative_squared_error, 0.0);
  EXPECT_EQ(estimate.relative_squared_error_standard_error, 0.0);
  EXPECT_EQ(estimate.largest_entry_error, 0.0);
}

TEST(Probe, OneObjectHasADiagonalEntryAndNoPairs) {
  const FunctionSimilarity<double> similarity([](Index, Index) { return 2.0; });
  const auto approximation = low_rank(world(), 1, 1, [](Index, Index) { return 1.0; });
  const ErrorEstimate estimate = probe<double>(world(), approximation, similarity, {.count = 100});
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
  const ErrorEstimate together = probe<double>(world(), low_rank(world(), n, 10, factor), similarity, {.count = 3000});
  const ErrorEstimate expected = probe<double>(alone, low_rank(alone, n, 10, factor), similarity, {.count = 3000});
  EXPECT_NEAR(together.relative_error / expected.relative_error, 1.0, 1e-12);
  EXPECT_NEAR(together.relative_error_standard_error / expected.relative_error_standard_error, 1.0, 1e-10);
  EXPECT_NEAR(together.largest_entry_error / expected.largest_entry_error, 1.0, 1e-12);
  EXPECT_NE(probe<double>(world(), low_rank(world(), n, 10, factor), similarity, {.count = 3000}, 2).relative_error,
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
    return probe_error<double>(execution, approximation, similarity, numbered(world(), n), {.count = 1000});
  };
  const ErrorEstimate first = run();
  const ErrorEstimate second = run();
  EXPECT_EQ(first.evaluations, 1000 + n);
  EXPECT_EQ(second.evaluations, 0);
  EXPECT_EQ(second.relative_error, first.relative_error);
}

TEST(Probe, ThatGoesOnDoesNotEvaluateAgainWhatTheLedgerHas) {
  constexpr Index n = 3000;
  const EntryFunction entry = test::rbf(TestPoints(n, 3), 0.3);
  const FunctionSimilarity<double> similarity(entry);
  const auto approximation = low_rank(world(), n, 10, nystrom_factor(entry, n, 10));
  Phases phases;
  test::RememberingLedger ledger;
  const Execution execution{world(), phases, ledger, 1, 1};
  const auto run = [&](double precision) {
    return probe_error<double>(execution, approximation, similarity, numbered(world(), n), {.precision = precision});
  };
  const ErrorEstimate rough = run(0.1);
  const ErrorEstimate fine = run(0.02);
  EXPECT_EQ(fine.evaluations, fine.pairs + fine.diagonal - rough.evaluations);
  EXPECT_EQ(run(0.02).evaluations, 0);
  EXPECT_EQ(run(0.02).relative_error, fine.relative_error);
}

TEST(Probe, AFailingEntryIsTheSameErrorOnEveryRank) {
  constexpr Index n = 100;
  const FunctionSimilarity<double> similarity([](Index i, Index j) -> double {
    if (i == j && i == 37) throw Error(ErrorKind::numeric, "object 37 is bad");
    return 1.0;
  });
  const auto approximation = low_rank(world(), n, 1, [](Index, Index) { return 1.0; });
  try {
    static_cast<void>(probe<double>(world(), approximation, similarity, {.count = 1000}));
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
  test::ProbeStudy<double> study(similarity, objects, {.count = 5000});
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
    static_cast<void>(probe<double>(world(), approximation, similarity, {.count = 100}));
    ADD_FAILURE() << "a relative error was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
  }
}

TEST(Probe, FewerThanTwoPairsAreAUsageError) {
  const FunctionSimilarity<double> similarity([](Index, Index) { return 1.0; });
  const auto approximation = low_rank(world(), 30, 1, [](Index, Index) { return 1.0; });
  try {
    static_cast<void>(probe<double>(world(), approximation, similarity, {.count = 1}));
    ADD_FAILURE() << "one pair was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("parameter pairs is 1"));
  }
}

TEST(RatioEstimate, AgreesWithAnEstimateByHand) {
  // e = 1, 3 and k = 2, 2 of 10 units: R = 2 / 2, s²(e - k) = 2, se(R) = sqrt(0.8 * 2 / 2) / 2.
  Stratum stratum{{}, 10.0, false};
  stratum.units.push_back({1.0, 2.0, 1.0});
  stratum.units.push_back({3.0, 2.0, 1.0});
  const ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1), stratum.population);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error, 1.0);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error_standard_error, std::sqrt(0.8) / 2.0);
  EXPECT_DOUBLE_EQ(estimate.relative_error_standard_error, std::sqrt(0.8) / 4.0);
  stratum.with_replacement = true;
  EXPECT_DOUBLE_EQ(estimate_ratio(std::span(&stratum, 1), stratum.population).relative_squared_error_standard_error,
                   0.5);
}

TEST(RatioEstimate, ObjectsThatAreASampleAddTheirVariance) {
  // Four of 8 objects and the pairs (0, 1), (2, 3); R = 12.8 / 12.8 = 1 by hand, entries weigh 28 = 56 / 2 and 2 = 8
  // / 4.
  const std::vector<std::array<Index, 2>> members = {{0, 1}, {2, 3}};
  const Stratum strata[] = {{{{0.5, 1.0, 1.0}, {1.5, 1.0, 1.0}}, 56.0, true, {}, 1, members},
                            {{{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}}, 8.0, false}};
  const ErrorEstimate estimate = estimate_ratio(strata, 64.0, 8.0);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error, 1.0);
  // e - R k is -0.5 and 0.5: between pairs 56² 0.5 / 2; of objects, each in one pair, nothing is left: 4 (14²) - 2 * 2
  // (14²) = 0.
  EXPECT_NEAR(estimate.relative_squared_error_standard_error, std::sqrt(56.0 * 56.0 * 0.25) / 64.0, 1e-12);
  // With both pairs between the objects 0 and 1 they carry all: 2 (0)² where the deviations cancel.
  const std::vector<std::array<Index, 2>> twice = {{0, 1}, {0, 1}, {0, 1}, {2, 3}};
  const Stratum more[] = {
      {{{0.6, 1.0, 1.0}, {0.6, 1.0, 1.0}, {0.6, 1.0, 1.0}, {2.2, 1.0, 1.0}}, 56.0, true, {}, 1, twice}, strata[1]};
  // Deviations -0.4 x 3 and 1.2, each times 14: objects have -1.2, -1.2, 1.2, 1.2 of them.
  const double between = 14.0 * 14.0 * (4 * 1.44 - 2 * (3 * 0.16 + 1.44)) * 0.5 * 4.0 / 3.0;
  const double within = 56.0 * 56.0 * (3 * 0.16 + 1.44) / 4.0 / 3.0;
  const double variance = std::pow(estimate_ratio(more, 64.0, 8.0).relative_squared_error_standard_error * 64.0, 2);
  EXPECT_GE(variance, within + between - 1e-9);
  EXPECT_LE(variance, (within + between) * std::pow(1.0 + 7.0 / 6.0, 2)) << "widened by skewness";
}

TEST(RatioEstimate, SkewedErrorsWidenTheStandardError) {
  // One unit in 50 has a large error; central moments in two passes.
  constexpr int m = 200;
  Stratum stratum{{}, 1000.0, true};
  std::vector<double> errors;
  for (int i = 0; i < m; ++i) errors.push_back(i % 50 == 0 ? 9.0 : 0.1 + 0.001 * i);
  double mean = 0.0;
  for (const double error : errors) {
    stratum.units.push_back({error, 1.0, 1.0});
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
  const ErrorEstimate estimate = estimate_ratio(std::span(&stratum, 1), stratum.population);
  EXPECT_NEAR(estimate.relative_squared_error, mean, 1e-12);
  EXPECT_NEAR(estimate.relative_squared_error_standard_error, factor * std::sqrt(variance), 1e-10);
}

TEST(RatioEstimate, AStratumThatWasTakenWholeAddsNoDoubt) {
  Stratum strata[] = {{{}, 2.0, false}, {{}, 0.0, true}};
  strata[0].units.push_back({1.0, 2.0, 1.0});
  strata[0].units.push_back({3.0, 2.0, 1.0});
  const ErrorEstimate estimate = estimate_ratio(strata, 2.0);
  EXPECT_DOUBLE_EQ(estimate.relative_squared_error, 1.0);
  EXPECT_EQ(estimate.relative_squared_error_standard_error, 0.0);
}

}  // namespace
}  // namespace cairn::probe_test
