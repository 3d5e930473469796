#include "cairn/evaluation/exact_error.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/distance_table.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "landmark/function_similarity.hpp"
#include "test_communicator.hpp"

namespace cairn::exact_error_test {
namespace {

using test::EntryFunction;
using test::FunctionSimilarity;
using test::TestPoints;
using test::world;

constexpr Index n = 300;

// K is rbf, and each entry of K~ is wrong by up to a tenth in its own way.
EntryFunction entry() { return test::rbf(TestPoints(n, 2), 0.4); }
EntryFunction wrong_entry() {
  return
      [rbf = entry()](Index i, Index j) { return rbf(i, j) * (1.0 + 0.1 * std::sin(static_cast<double>(3 * i + j))); };
}

RowBlock<double> rows_of(const Communicator& communicator, Index columns, const EntryFunction& value) {
  RowBlock<double> block(RowPartition(n, communicator.size()), communicator.rank(), columns);
  for (Index i = block.range().begin; i < block.range().end; ++i) {
    for (Index c = 0; c < columns; ++c) block.row(i)[c] = value(i, c);
  }
  return block;
}

// L = K~, R = I: not symmetric, as the CUR family is.
Approximation<double> wrong(const Communicator& communicator) {
  Approximation<double> approximation;
  approximation.left = rows_of(communicator, n, wrong_entry());
  approximation.right = rows_of(communicator, n, [](Index i, Index c) { return i == c ? 1.0 : 0.0; });
  approximation.core_matrix = IdentityCore{n};
  approximation.symmetric = false;
  return approximation;
}

struct TrueError {
  double relative_squared = 0.0;
  double largest = 0.0;
};

// Over the columns that `use` accepts.
template <class Use>
TrueError brute_force(Use use) {
  const EntryFunction exact = entry();
  const EntryFunction approximate = wrong_entry();
  double error = 0.0;
  double reference = 0.0;
  TrueError result;
  for (Index j = 0; j < n; ++j) {
    if (!use(j)) continue;
    for (Index i = 0; i < n; ++i) {
      const double difference = approximate(i, j) - exact(i, j);
      error += difference * difference;
      reference += exact(i, j) * exact(i, j);
      result.largest = std::max(result.largest, std::abs(difference));
    }
  }
  result.relative_squared = error / reference;
  return result;
}

ErrorEstimate over_rows(const Communicator& communicator, Index rows, std::uint64_t seed = 1) {
  test::Context context(communicator, seed);
  const FunctionSimilarity<double> similarity(entry());
  const NumberedObjects objects(RowPartition(n, communicator.size()), communicator.rank());
  return error_over_rows(context.execution, wrong(communicator), similarity, objects, rows);
}

TEST(ErrorOverRows, OfAllRowsIsExact) {
  const TrueError expected = brute_force([](Index) { return true; });
  for (const Index rows : {n, 2 * n}) {
    const ErrorEstimate estimate = over_rows(world(), rows);
    EXPECT_NEAR(estimate.relative_squared_error / expected.relative_squared, 1.0, 1e-12);
    EXPECT_NEAR(estimate.relative_error / std::sqrt(expected.relative_squared), 1.0, 1e-12);
    EXPECT_NEAR(estimate.largest_entry_error / expected.largest, 1.0, 1e-12);
    EXPECT_EQ(estimate.relative_error_standard_error, 0.0);
    EXPECT_EQ(estimate.pairs, n * (n - 1));
    EXPECT_EQ(estimate.diagonal, n);
    EXPECT_EQ(estimate.evaluations, n * n);
  }
}

TEST(ErrorOverRows, OfSomeRowsIsThatOfTheRowsDrawn) {
  constexpr Index rows = 20;
  const auto drawn = sample_without_replacement(n, rows, Random(1, Stream::evaluation_rows));
  const TrueError expected = brute_force([&](Index j) { return std::ranges::find(drawn, j) != drawn.end(); });
  const ErrorEstimate estimate = over_rows(world(), rows);
  EXPECT_NEAR(estimate.relative_squared_error / expected.relative_squared, 1.0, 1e-12);
  EXPECT_NEAR(estimate.largest_entry_error / expected.largest, 1.0, 1e-12);
  EXPECT_EQ(estimate.pairs, rows * (n - 1));
  EXPECT_EQ(estimate.diagonal, rows);
  EXPECT_EQ(estimate.evaluations, rows * n);
}

TEST(ErrorOverRows, EstimateDoesNotDependOnTheNumberOfRanks) {
  const Communicator alone(MPI_COMM_SELF);
  const ErrorEstimate together = over_rows(world(), 30);
  const ErrorEstimate expected = over_rows(alone, 30);
  EXPECT_NEAR(together.relative_error / expected.relative_error, 1.0, 1e-12);
  EXPECT_NEAR(together.relative_error_standard_error / expected.relative_error_standard_error, 1.0, 1e-9);
}

TEST(ErrorOverRows, TheTrueErrorLiesWithinTwoStandardErrors) {
  constexpr int seeds = 60;
  const double truth = std::sqrt(brute_force([](Index) { return true; }).relative_squared);
  int within = 0;
  double bias = 0.0;
  double squares = 0.0;
  double standard_error = 0.0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ErrorEstimate estimate = over_rows(world(), 40, seed);
    const double deviation = estimate.relative_error - truth;
    within += std::abs(deviation) <= 2.0 * estimate.relative_error_standard_error ? 1 : 0;
    bias += deviation / truth / seeds;
    squares += deviation * deviation / seeds;
    standard_error += estimate.relative_error_standard_error / seeds;
  }
  EXPECT_GE(within, 0.9 * seeds) << "seeds 0 to 59";
  EXPECT_LT(std::abs(bias), 0.02);
  EXPECT_NEAR(standard_error / std::sqrt(squares), 1.0, 0.3) << "the spread of 60 estimates is known to 9 %";
}

// Ends the loop at its first tile.
class StoppingLedger final : public TileLedger {
 public:
  void begin(const char* /*name*/, Index /*tiles*/) override {}
  bool get(Index /*tile*/, std::span<std::byte> /*bytes*/) override { return false; }
  void put(Index /*tile*/, std::span<const std::byte> /*bytes*/) override {
    throw Error(ErrorKind::interrupted, "stopped");
  }
};

// What an evaluation evaluates may be all of K: the table keeps none of it, and goes on keeping what comes after, even
// where the evaluation ended with an error.
TEST(ErrorOverRows, DistancesOfTheEvaluationAreNotKeptAndOthersAreAfterAnError) {
  RowBlock<double> coordinates(RowPartition(n, world().size()), world().rank(), 2);
  for (Index i = coordinates.range().begin; i < coordinates.range().end; ++i) {
    coordinates.row(i)[0] = static_cast<double>(i % 17), coordinates.row(i)[1] = static_cast<double>(i % 11);
  }
  const PointSet<double> points(std::move(coordinates), world().rank(), {});
  const auto similarity = make_laplacian<double>(2, 0.2);
  const auto table = std::make_shared<DistanceTable<double>>("manhattan");
  similarity->use_distances(table);
  const auto approximation = wrong(world());
  test::Context context;
  StoppingLedger ledger;
  const Execution stopped{world(), context.phases, ledger, 1, 1};
  EXPECT_THROW(static_cast<void>(error_over_rows(stopped, approximation, *similarity, points, 40)), Error);
  static_cast<void>(error_over_rows(context.execution, approximation, *similarity, points, n));
  for (Index i = 0; i < n; ++i) ASSERT_FALSE(table->has_column(i));
  EXPECT_THROW(static_cast<void>(error_over_rows(stopped, approximation, *similarity, points, 40)), Error);
  const std::vector<Index> ids{4, 200};
  static_cast<void>(
      evaluate_columns(context.execution, *similarity, points, *points.gather(world(), ids), "columns", "loop"));
  EXPECT_TRUE(table->has_column(4) && table->has_column(200));
}

TEST(ErrorOverRows, FewerThanTwoRowsAreAUsageError) {
  for (const Index rows : {Index{-1}, Index{0}, Index{1}}) {
    try {
      static_cast<void>(over_rows(world(), rows));
      ADD_FAILURE() << rows << " rows were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), testing::HasSubstr("parameter rows is " + std::to_string(rows)));
    }
  }
}

}  // namespace
}  // namespace cairn::exact_error_test
