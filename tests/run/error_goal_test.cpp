// As many landmarks as an error needs.
#include "cairn/run/computation/error_goal.hpp"

#include <gmock/gmock.h>

#include "../landmark/function_similarity.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"

namespace cairn::test::error_goal_test {
namespace {

constexpr Index n = 600;

std::string promise_of(const Result<double>& result) { return result.description().provenance.at("error_promise"); }

/// ||K~ - K||_F / ||K||_F for K(i, j) = entry(i, j).
template <class Entry>
double true_error(const Session& session, const Result<double>& result, Entry entry) {
  const AllPairs pairs(n);
  const std::vector<double> values = entries(session, result, pairs.rows, pairs.columns);
  double error = 0.0, reference = 0.0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double exact = entry(pairs.rows[e], pairs.columns[e]);
    error += (values[e] - exact) * (values[e] - exact);
    reference += exact * exact;
  }
  return std::sqrt(error / reference);
}

double distance(Index i, Index j) { return std::sqrt(std::max(0.0, -std::log(rbf(1.0, i, j)))); }

GivenValues within(double error) { return {{"landmarks.error", error}}; }

TEST(ErrorGoal, IsCertifiedForADefiniteKernel) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 0.5}}, distribute_points(session, own_rows(n), dimension));
  for (const double error : {0.1, 0.01}) {
    const auto result = approximate(session, matrix, "nystrom", within(error));
    EXPECT_EQ(promise_of(result), "certified");
    EXPECT_EQ(result.description().landmark_selection, "rpcholesky");
    const double truth = true_error(session, result, [](Index i, Index j) { return rbf(0.5, i, j); });
    const double limit = result.description().metrics.at("error_limit");
    EXPECT_LE(truth, limit);
    EXPECT_LE(limit, error);
    EXPECT_GT(truth, error / 4.0) << "with " << result.approximation().left.columns() << " landmarks";
    EXPECT_EQ(result.description().metrics.at("error_confidence"), 0.99);
  }
}

TEST(ErrorGoal, IsCertifiedForEuclideanDistances) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "euclidean", distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "nystrom", within(0.02));
  EXPECT_EQ(promise_of(result), "certified");
  EXPECT_LE(true_error(session, result, distance), 0.02);
}

TEST(ErrorGoal, IsEstimatedWhereKIsIndefinite) {
  const Session session = session_on_all_ranks();
  const auto sigmoid = [](Index i, Index j) {
    double product = 0;
    for (Index k = 0; k < dimension; ++k) product += coordinate(i, k) * coordinate(j, k);
    return std::tanh(0.3 * product - 0.2);
  };
  const auto matrix = similarity(session, "sigmoid", {{"gamma", 0.3}, {"coef0", -0.2}},
                                 distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "nystrom", within(0.05));
  EXPECT_EQ(promise_of(result), "estimated");
  EXPECT_EQ(result.description().landmark_selection, "uniform");
  EXPECT_LE(true_error(session, result, sigmoid), 0.05);
}

TEST(ErrorGoal, IsTheSameOnAnyNumberOfRanks) {
  const auto on = [](const Session& session, const std::vector<double>& rows) {
    return approximate(session,
                       similarity(session, "rbf", {{"gamma", 0.5}}, distribute_points(session, rows, dimension)),
                       "nystrom", within(0.05));
  };
  const Session all = session_on_all_ranks(), alone(MPI_COMM_SELF, {.seed = 5});
  const auto together = on(all, own_rows(n)), by_itself = on(alone, rows_between(0, n));
  EXPECT_EQ(together.approximation().left_origin->indices, by_itself.approximation().left_origin->indices);
  EXPECT_EQ(together.description().evaluations, by_itself.description().evaluations);
  EXPECT_NEAR(together.description().metrics.at("error_limit"), by_itself.description().metrics.at("error_limit"),
              1e-8);
}

TEST(ErrorGoal, GivesEmbeddings) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 0.5}}, distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "nystrom", {{"landmarks.error", 0.05}, {"embedding", true}});
  EXPECT_STREQ(core_layout(result.approximation().core_matrix), "identity");
  EXPECT_LE(true_error(session, result, [](Index i, Index j) { return rbf(0.5, i, j); }), 0.05);
}

TEST(ErrorGoal, EndsWithTheBestSoFarAtTheLargestNumber) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 2.0}}, distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "nystrom", {{"landmarks.error", 0.001}, {"landmarks.count", 50}});
  EXPECT_EQ(promise_of(result), "not reached");
  EXPECT_EQ(result.approximation().left.columns(), 50);
  EXPECT_GE(result.description().metrics.at("error_limit"),
            true_error(session, result, [](Index i, Index j) { return rbf(2.0, i, j); }));
  EXPECT_THAT(result.report().warnings,
              testing::Contains(testing::HasSubstr("there are 50 landmarks, the largest number")));
}

TEST(ErrorGoal, IsReachedAtTheRankOfK) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "linear", distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "nystrom", within(1e-6));
  EXPECT_EQ(promise_of(result), "certified");
  EXPECT_EQ(result.approximation().left.columns(), dimension);
}

TEST(ErrorGoal, ClaimsNothingWhereAllComparedEntriesAreZero) {
  const Session session = session_on_all_ranks();
  const auto zero = similarity(
      session,
      [](MatrixView<const double>, MatrixView<const double>, MatrixView<double> tile) {
        for (Index a = 0; a < tile.rows; ++a) std::fill_n(tile.row(a), tile.columns, 0.0);
      },
      distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, zero, "nystrom", within(0.1));
  EXPECT_EQ(promise_of(result), "not reached");
  EXPECT_EQ(result.approximation().left.columns(), 32);  // more are of no use
}

TEST(ErrorGoal, EndsWhereAnEntryExceedsItsBound) {
  test::Context context;
  const NumberedObjects objects(RowPartition(n, world().size()), world().rank());
  ExactMatrix<double> exact;
  exact.objects = &objects;
  exact.traits.definite = true;  // it is not
  exact.entries = std::make_unique<FunctionSimilarity<double>>(
      [](Index i, Index j) { return std::cos(0.01 * static_cast<double>(i * j)); });
  const MethodChoice choice = method_choice("nystrom", {{"landmarks.error", 0.01}, {"landmarks.selection", "uniform"}});
  const MakeApproximation<double> make = [&](Landmarks<double> landmarks, const Values& values) {
    return approximate(nystrom_method(), Problem<double>{.execution = context.execution,
                                                         .similarity = *exact.entries,
                                                         .objects = objects,
                                                         .landmarks = std::move(landmarks),
                                                         .parameters = values});
  };
  const auto grown = approximate_within<double>(context.execution, Data<double>{}, exact, choice, *error_goal(choice),
                                                make, [](const GrowthStep&) {});
  EXPECT_FALSE(grown.outcome.reached);
  EXPECT_EQ(grown.outcome.looks.size(), 1U);
  EXPECT_THAT(grown.outcome.stopped, testing::HasSubstr("K is not semidefinite as its similarity says"));
}

TEST(ErrorGoal, ThatIsRequiredIsAnErrorIfItIsNotReached) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 2.0}}, distribute_points(session, own_rows(n), dimension));
  const GivenValues given{{"landmarks.error", 0.001}, {"landmarks.count", 40}, {"landmarks.require-error", true}};
  expect_error([&] { (void)approximate(session, matrix, "nystrom", given); }, ErrorKind::unmet,
               {"landmarks.error is not reached: the relative error is at most"});
}

TEST(ErrorGoal, IsPlannedOnSamples) {
  const Session session = session_on_all_ranks();
  const GivenValues keys{{"data.generate", "normal"}, {"data.points", 500},      {"data.dimension", 3},
                         {"similarity.kind", "rbf"},  {"similarity.gamma", 0.2}, {"landmarks.error", 0.05}};
  EXPECT_GT(plan<double>(session, keys).peak_bytes, 0);
  const PlannedRun run{.similarity = "rbf", .method = "nystrom", .values = {{"landmarks.error", 0.05}}};
  const auto points = distribute_points(session, own_rows(n), dimension);
  expect_error([&] { (void)plan(session, sizes_of(session, points), run); }, ErrorKind::usage,
               {"landmarks.count", "their number follows from an error"});
}

TEST(ErrorGoal, IsRefusedWhereItCannotBe) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 2.0}}, distribute_points(session, own_rows(n), dimension));
  const auto refused = [&](const std::string& method, const GivenValues& given, const char* why) {
    expect_error([&] { (void)approximate(session, matrix, method, given); }, ErrorKind::usage, {why});
  };
  refused("sicur", within(0.1), "landmarks.error = 0.1 is incompatible with the method sicur; it is for nystrom");
  refused("nystrom", {{"landmarks.error", 0.1}, {"landmarks.selection", "file"}},
          "it is for uniform, farthest, rpcholesky");
  refused("nystrom", {{"landmarks.error", 0.1}, {"tolerance", 1e-12}}, "below 1e-10 rounding in K~ is not bounded");
  refused("nystrom", within(1e-9), "below what numbers in double precision can certify, 1e-06");
  refused("nystrom", within(1.0), "landmarks.error");
  refused("nystrom", within(0.0), "landmarks.error");
  refused("nystrom", {{"landmarks.error", 0.1}, {"landmarks.confidence", 1.0}}, "landmarks.confidence");
  refused("nystrom", {{"landmarks.count", 9}, {"landmarks.confidence", 0.9}}, "has no effect without");
  refused("nystrom", {}, "landmarks.error, from which it follows");
}

}  // namespace
}  // namespace cairn::test::error_goal_test
