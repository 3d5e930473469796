#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "landmark/function_similarity.hpp"
#include "landmark/remembering_ledger.hpp"
#include "test_communicator.hpp"

namespace cairn::source_error_test {
namespace {

using test::EntryFunction;
using test::world;

constexpr Index n = 300;

double exact_entry(Index i, Index j) {
  return std::abs(static_cast<double>((i * 37) % n - (j * 37) % n)) + 0.01 * static_cast<double>(i + j);
}
double approximate_entry(Index i, Index j) {
  return exact_entry(i, j) * (1.0 + 0.1 * std::sin(static_cast<double>(3 * i + j)));
}

// Entries by a function, at most 16 sources at a time.
class FunctionOfSources final : public SourceSimilarity {
 public:
  FunctionOfSources(Index vertices, EntryFunction entry)
      : SourceSimilarity({.name = "function", .size = vertices, .batch = 16}), entry_(std::move(entry)) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    for (std::size_t a = 0; a < sources.size(); ++a)
      for (std::size_t b = 0; b < targets.targets.size(); ++b)
        out(static_cast<Index>(a), static_cast<Index>(b)) = entry_(sources[a], targets.targets[b]);
  }
  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    EXPECT_LE(sources.size(), 16U);
    for (std::size_t a = 0; a < sources.size(); ++a)
      for (Index v = 0; v < size(); ++v) out(static_cast<Index>(a), v) = entry_(sources[a], v);
  }

 private:
  EntryFunction entry_;
};

// A run that is told to stop at its fifth tile, once.
class StoppingLedger final : public test::RememberingLedger {
 public:
  void put(Index tile, std::span<const std::byte> bytes) override {
    RememberingLedger::put(tile, bytes);
    if (++puts_ == 5) throw Error(ErrorKind::interrupted, "stopped");
  }

 private:
  int puts_ = 0;
};

// L = I, R = the transpose of K~: column j of L J Rᵀ is row j of `entry`.
Approximation<double> approximation_of(const EntryFunction& entry) {
  const Communicator& communicator = world();
  const auto rows_of = [&](const EntryFunction& value) {
    RowBlock<double> block(RowPartition(n, communicator.size()), communicator.rank(), n);
    for (Index i = block.range().begin; i < block.range().end; ++i)
      for (Index c = 0; c < n; ++c) block.row(i)[c] = value(i, c);
    return block;
  };
  Approximation<double> approximation;
  approximation.left = rows_of([](Index i, Index c) { return i == c ? 1.0 : 0.0; });
  approximation.right = rows_of(entry);
  approximation.core_matrix = IdentityCore{n};
  approximation.symmetric = false;
  return approximation;
}

ErrorEstimate over_rows(Index rows, std::uint64_t seed, int threads = 1, RowErrors* details = nullptr) {
  test::Context context(world(), seed);
  context.execution.threads = threads;
  const FunctionOfSources similarity(n, exact_entry);
  return error_over_rows(context.execution, approximation_of(approximate_entry), similarity, {.count = rows}, details);
}

struct TrueError {
  std::vector<double> squared_error = std::vector<double>(static_cast<std::size_t>(n), 0.0);
  std::vector<double> squared_norm = squared_error;
  double error = 0.0, norm = 0.0, largest = 0.0;
};

TrueError brute_force(const std::vector<Index>& rows) {
  TrueError sums;
  for (const Index i : rows) {
    for (Index v = 0; v < n; ++v) {
      const double exact = exact_entry(i, v), difference = approximate_entry(i, v) - exact;
      sums.squared_error[v] += difference * difference;
      sums.squared_norm[v] += exact * exact;
      sums.error += difference * difference;
      sums.norm += exact * exact;
      sums.largest = std::max(sums.largest, std::abs(difference));
    }
  }
  return sums;
}

void expect_error(const ErrorEstimate& estimate, const TrueError& expected) {
  EXPECT_NEAR(estimate.relative_squared_error, expected.error / expected.norm, 1e-12);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(expected.error / expected.norm), 1e-12);
  EXPECT_NEAR(estimate.largest_entry_error, expected.largest, 1e-12);
}

TEST(SourceErrorOverRows, RowsThatALedgerHasAreNotComputedAgain) {
  constexpr Index rows = 200;
  const ErrorEstimate expected = over_rows(rows, 3);
  StoppingLedger ledger;
  Index computed = 0;
  const FunctionOfSources similarity(n, [&](Index i, Index j) {
    if (j == 0) ++computed;
    return exact_entry(i, j);
  });
  test::Context context(world(), 3);
  const Execution execution{world(), context.phases, ledger, 1, 3};
  const Approximation<double> approximation = approximation_of(approximate_entry);
  EXPECT_THROW((void)error_over_rows(execution, approximation, similarity, {.count = rows}), Error);
  const Index before = world().sum(computed);
  EXPECT_LT(before, rows);
  const ErrorEstimate resumed = error_over_rows(execution, approximation, similarity, {.count = rows});
  const Index after = world().sum(computed) - before;
  EXPECT_LT(after, rows);
  EXPECT_DOUBLE_EQ(resumed.relative_error, expected.relative_error);
  EXPECT_DOUBLE_EQ(resumed.relative_error_standard_error, expected.relative_error_standard_error);
  EXPECT_EQ(resumed.largest_entry_error, expected.largest_entry_error);
  EXPECT_EQ(resumed.evaluations, after * n);  // what was evaluated here
}

TEST(SourceErrorOverRows, OfAllRowsIsExact) {
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) all.push_back(i);
  const ErrorEstimate estimate = over_rows(n, 1);
  expect_error(estimate, brute_force(all));
  EXPECT_EQ(estimate.relative_squared_error_standard_error, 0.0);
  EXPECT_EQ(estimate.evaluations, n * n);
}

TEST(SourceErrorOverRows, OfDrawnRowsIsTheRatioOverThem) {
  for (const Index rows : {2, 7, 50}) {
    const auto drawn = sample_without_replacement(n, rows, Random(9, Stream::evaluation_rows));
    for (const int threads : {1, 3}) {
      const ErrorEstimate estimate = over_rows(rows, 9, threads);
      expect_error(estimate, brute_force(drawn));
      EXPECT_GT(estimate.relative_squared_error_standard_error, 0.0);
      EXPECT_EQ(estimate.evaluations, rows * n);
    }
  }
}

TEST(SourceErrorOverRows, AddsUpByVertex) {
  const auto drawn = sample_without_replacement(n, 20, Random(4, Stream::evaluation_rows));
  const TrueError expected = brute_force(drawn);
  RowErrors details;
  (void)over_rows(20, 4, 2, &details);
  const VertexErrors& errors = details.by_vertex;
  const Range own = RowPartition(n, world().size()).range(world().rank());
  ASSERT_EQ(errors.squared_error.size(), static_cast<std::size_t>(own.size()));
  for (Index v = own.begin; v < own.end; ++v) {
    const auto at = static_cast<std::size_t>(v - own.begin);
    EXPECT_NEAR(errors.squared_error[at], expected.squared_error[v], 1e-8);
    EXPECT_NEAR(errors.squared_norm[at], expected.squared_norm[v], 1e-6);
  }
}

// From i to j it is another number than from j to i; K~ is right about their mean but for every seventh row.
TEST(SourceErrorOverRows, ComparesWithTheMeanOfBothDirectionsToo) {
  const auto lopsided = [](Index i, Index j) { return exact_entry(i, j) + (i < j ? 5.0 : -5.0); };
  const auto mean = [&](Index i, Index j) { return 0.5 * (lopsided(i, j) + lopsided(j, i)); };
  const auto close = [&](Index i, Index j) { return mean(i, j) * (i % 7 == 0 ? 1.1 : 1.0); };
  const auto drawn = sample_without_replacement(n, 40, Random(6, Stream::evaluation_rows));
  double of_means = 0.0, means = 0.0, of_rows = 0.0, rows = 0.0, asymmetry = 0.0;
  for (const Index i : drawn) {
    for (const Index j : drawn) {
      of_means += std::pow(close(i, j) - mean(i, j), 2), means += std::pow(mean(i, j), 2);
      of_rows += std::pow(close(i, j) - lopsided(i, j), 2), rows += std::pow(lopsided(i, j), 2);
      asymmetry += std::pow(lopsided(i, j) - lopsided(j, i), 2);
    }
  }
  test::Context context(world(), 6);
  const FunctionOfSources similarity(n, lopsided);
  RowErrors details;
  (void)error_over_rows(context.execution, approximation_of(close), similarity, {.count = 40}, &details);
  EXPECT_EQ(details.symmetric.rows, 40);
  EXPECT_NEAR(details.symmetric.relative_squared_error, of_means / means, 1e-13);
  EXPECT_NEAR(details.symmetric.one_sided_relative_squared_error, of_rows / rows, 1e-13);
  EXPECT_NEAR(details.symmetric.relative_asymmetry, std::sqrt(asymmetry / rows), 1e-13);
}

// 40 draws of 60 rows: most estimates lie within two of their standard errors.
TEST(SourceErrorOverRows, HasAStandardErrorThatCovers) {
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) all.push_back(i);
  const TrueError sums = brute_force(all);
  const double truth = sums.error / sums.norm;
  const Approximation<double> approximation = approximation_of(approximate_entry);
  const FunctionOfSources similarity(n, exact_entry);
  int covered = 0;
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    test::Context context(world(), seed);
    const ErrorEstimate estimate = error_over_rows(context.execution, approximation, similarity, {.count = 60});
    const double distance = std::abs(estimate.relative_squared_error - truth);
    if (distance <= 2.0 * estimate.relative_squared_error_standard_error) ++covered;
  }
  EXPECT_GE(covered, 35);
}

// The mean of K in place of every entry.
double constant_error(const std::vector<Index>& rows) {
  double sum = 0.0, squares = 0.0;
  for (const Index i : rows) {
    for (Index v = 0; v < n; ++v) sum += exact_entry(i, v), squares += exact_entry(i, v) * exact_entry(i, v);
  }
  return std::sqrt(1.0 - sum * sum / (squares * static_cast<double>(rows.size()) * n));
}

TEST(SourceErrorOverRows, KnowsTheErrorOfTheBestConstant) {
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) all.push_back(i);
  const ErrorEstimate exact = over_rows(n, 1);
  EXPECT_NEAR(exact.constant_error, constant_error(all), 1e-12);
  EXPECT_EQ(exact.constant_error_standard_error, 0.0);
  const ErrorEstimate sampled = over_rows(50, 9);
  EXPECT_NEAR(sampled.constant_error,
              constant_error(sample_without_replacement(n, 50, Random(9, Stream::evaluation_rows))), 1e-12);
  EXPECT_GT(sampled.constant_error_standard_error, 0.0);
  EXPECT_NEAR(sampled.constant_error, exact.constant_error, 3.0 * sampled.constant_error_standard_error);
}

ErrorEstimate until_known(const EstimateEffort& effort, std::uint64_t seed) {
  test::Context context(world(), seed);
  const FunctionOfSources similarity(n, exact_entry);
  return error_over_rows(context.execution, approximation_of(approximate_entry), similarity, effort);
}

TEST(SourceErrorOverRows, WithoutANumberOfRowsGoesOnUntilTheErrorIsKnown) {
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) all.push_back(i);
  const TrueError sums = brute_force(all);
  const double truth = std::sqrt(sums.error / sums.norm);
  int covered = 0, precise = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ErrorEstimate estimate = until_known({.precision = 0.1}, seed);
    if (std::abs(estimate.relative_error - truth) <= 2.0 * estimate.relative_error_standard_error) ++covered;
    if (estimate.relative_error_standard_error <= 0.1 * estimate.relative_error) ++precise;
    EXPECT_EQ(estimate.evaluations, estimate.diagonal * n);
    EXPECT_EQ(estimate.stopped_by, estimate.diagonal == n ? StoppedBy::all : StoppedBy::precision);
  }
  if (world().is_root()) std::printf("until known: %d of 200 covered\n", covered);
  EXPECT_EQ(precise, 200);
  EXPECT_GE(covered, 186) << "seeds 0 to 199";
}

TEST(SourceErrorOverRows, StopsWhereItsTimeIsSpent) {
  const ErrorEstimate estimate = until_known({.precision = 0.0, .seconds = 0.0}, 1);
  EXPECT_EQ(estimate.stopped_by, StoppedBy::time);
  EXPECT_EQ(estimate.diagonal, 64);
  EXPECT_GT(estimate.relative_error_standard_error, 0.0);
  EXPECT_EQ(until_known({.precision = 0.0}, 1).stopped_by, StoppedBy::all) << "all rows are fewer than the limit";
}

template <class Work>
ErrorKind kind_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(SourceErrorOverRows, RefusesWhatHasNoError) {
  test::Context context;
  EXPECT_EQ(kind_of([] { (void)over_rows(1, 1); }), ErrorKind::usage);
  const FunctionOfSources other(n - 1, exact_entry);
  EXPECT_EQ(kind_of([&] {
              (void)error_over_rows(context.execution, approximation_of(approximate_entry), other, {.count = 5});
            }),
            ErrorKind::usage);
  const FunctionOfSources unreachable(
      n, [](Index i, Index j) { return i + j == 400 ? std::numeric_limits<double>::infinity() : exact_entry(i, j); });
  EXPECT_EQ(kind_of([&] {
              (void)error_over_rows(context.execution, approximation_of(approximate_entry), unreachable, {.count = n});
            }),
            ErrorKind::numeric);
}

TEST(SourceErrorOverRows, EndsOnAllRanksWhereOneSourceFails) {
  test::Context context;
  const FunctionOfSources failing(n, [](Index i, Index j) {
    if (i == 77) throw Error(ErrorKind::numeric, "no path");
    return exact_entry(i, j);
  });
  EXPECT_EQ(kind_of([&] {
              (void)error_over_rows(context.execution, approximation_of(approximate_entry), failing, {.count = n});
            }),
            ErrorKind::numeric);
}

}  // namespace
}  // namespace cairn::source_error_test
