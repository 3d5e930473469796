// Rows for new points, and results in files.
#include <gtest/gtest.h>

#include "cairn/store/result/extension.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::extend_test {
namespace {

constexpr Index n = 60, unseen = 40, count = 15;
const GivenValues gamma_of = {{"gamma", 0.3}};
const GivenValues landmarks = {{"landmarks.count", count}};

// New points are those that follow the old ones.
std::vector<double> new_rows() {
  const Range own = RowPartition(unseen, world().size()).range(world().rank());
  return rows_between(n + own.begin, n + own.end);
}

std::vector<std::string> labels_of(Index rows) {
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) labels.push_back(std::to_string(world().rank()) + "/" + std::to_string(i));
  return labels;
}

template <class T>
double largest_difference_of_rows(const Result<T>& a, const Result<T>& b) {
  const auto x = a.approximation().left.dense().local(), y = b.approximation().left.dense().local();
  double largest = x.rows == y.rows && x.columns == y.columns ? 0 : INFINITY;
  for (Index e = 0; largest < INFINITY && e < x.rows * x.columns; ++e) {
    largest = std::max(largest, std::abs(x.data[e] - y.data[e]));
  }
  return largest;
}

TEST(NewPoints, HaveTheirSimilaritiesWithTheLandmarks) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const auto result = approximate(session, matrix, "sms-nystrom", landmarks);
  const auto extended = extend(session, result, distribute_points(session, new_rows(), dimension));
  ASSERT_EQ(extended.size(), unseen);
  const FactorOrigin& origin = *extended.approximation().left_origin;
  ASSERT_EQ(origin.map, nullptr);
  const auto& left = extended.approximation().left.dense();
  for (Index i = left.range().begin; i < left.range().end; ++i) {
    for (std::size_t k = 0; k < origin.indices.size(); ++k) {
      EXPECT_NEAR(left.row(i)[k], rbf(0.3, n + i, origin.indices[k]), 1e-10);
    }
  }
  EXPECT_EQ(extended.description().evaluations, unseen * count);
  EXPECT_EQ(extended.description().landmark_population, n);
}

TEST(NewPoints, AreScaledAsThoseOfTheResult) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension, {}, "standard");
  const auto result = approximate(session, similarity(session, "rbf", gamma_of, points), "nystrom", landmarks);
  const auto same = extend(session, result, distribute_points(session, own_rows(n), dimension));
  EXPECT_LT(largest_difference_of_rows(result, same), 1e-12);
}

TEST(NewPoints, OfAFunctionAreComparedByIt) {
  const Session session = session_on_all_ranks();
  const auto product = [](MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> tile) {
    for (Index a = 0; a < tile.rows; ++a) {
      for (Index b = 0; b < tile.columns; ++b) {
        tile(a, b) = 1;
        for (Index k = 0; k < left.columns; ++k) tile(a, b) += left(a, k) * right(b, k);
      }
    }
  };
  const auto old_points = distribute_points(session, own_rows(n), dimension);
  const auto new_points = distribute_points(session, new_rows(), dimension);
  const auto result = approximate(session, similarity(session, product, old_points), "nystrom", landmarks);
  const auto matrix = similarity(session, product, new_points);
  auto extended = extend(session, result, matrix);
  // The rank of K is that of the coordinates and 1: it is exact for new points as well.
  EXPECT_LT(probe_error(session, extended, matrix).relative_error, 1e-8);
}

const GivenValues without_rows = {{"landmarks.count", count}, {"store-left", false}};

TEST(RowsThatAreNotKept, AreEvaluatedForTheErrorAndForNewPoints) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  const auto matrix = similarity(session, "rbf", gamma_of, points);
  auto kept = approximate(session, matrix, "nystrom", landmarks);
  auto evaluated = approximate(session, matrix, "nystrom", without_rows);
  const EstimateEffort effort{.count = 500};
  EXPECT_NEAR(probe_error(session, evaluated, matrix, effort).relative_error,
              probe_error(session, kept, matrix, effort).relative_error, 1e-10);
  const auto unseen_points = distribute_points(session, new_rows(), dimension);
  EXPECT_EQ(largest_difference_of_rows(extend(session, evaluated, unseen_points), extend(session, kept, unseen_points)),
            0);
  save(session, folder.file("rows.h5"), evaluated);
  const auto again = load<double>(session, folder.file("rows.h5"));
  EXPECT_EQ(again.size(), n);
  EXPECT_FALSE(again.approximation().left.is_stored());
  EXPECT_EQ(largest_difference_of_rows(extend(session, again, unseen_points), extend(session, kept, unseen_points)), 0);
}

TEST(RowsThatAreNotKept, AreOfTheirOwnSimilarityAlone) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  auto result = approximate(session, similarity(session, "rbf", gamma_of, points), "nystrom", without_rows);
  const auto wider = similarity(session, "rbf", {{"gamma", 0.1}}, points);
  expect_error([&] { (void)probe_error(session, result, wider); }, ErrorKind::usage, {"from its own similarity, rbf"});
  std::vector<double> moved = own_rows(n);
  for (double& coordinate : moved) coordinate += 1;
  const auto elsewhere = similarity(session, "rbf", gamma_of, distribute_points(session, std::move(moved), dimension));
  expect_error([&] { (void)probe_error(session, result, elsewhere); }, ErrorKind::usage, {"of other objects"});
  const std::vector<Index> one = {0};
  expect_error([&] { (void)entries(session, result, one, one); }, ErrorKind::usage, {"keeps no rows"});
  for (const char* selection : {"farthest", "rpcholesky"}) {
    expect_error(
        [&] {
          (void)approximate(session, wider, "nystrom",
                            {{"landmarks.count", count}, {"store-left", false}, {"landmarks.selection", selection}});
        },
        ErrorKind::usage, {"store-left", selection});
  }
}

TEST(NewPoints, HaveAnErrorOfTheirOwnIfPairsAreGiven) {
  const Session session = session_on_all_ranks();
  const auto old_points = distribute_points(session, own_rows(n), dimension);
  const auto new_points = distribute_points(session, new_rows(), dimension);
  auto result = approximate(session, similarity(session, "rbf", gamma_of, old_points), "nystrom", landmarks);
  const double base = probe_error(session, result, similarity(session, "rbf", gamma_of, old_points)).relative_error;
  const auto matrix = similarity(session, "rbf", gamma_of, new_points);
  auto extended = extend(session, result, matrix, {.pairs = 700});
  const ExtensionError error = extension_error(extended.description());
  ASSERT_TRUE(error.rows && error.base);
  EXPECT_EQ(error.base->relative_error, base);
  const double doubt = error.rows->relative_error_standard_error;
  EXPECT_GT(doubt, 0);
  // All pairs of the new points; the diagonal counts less there than in the matrix of the old ones, which are more.
  const double exact = probe_error(session, extended, matrix, {.count = unseen * unseen}).relative_error;
  EXPECT_NEAR(error.rows->relative_error, exact, 4 * doubt + 0.1 * exact);
  EXPECT_FALSE(extension_error(extend(session, result, matrix).description()).rows);
  for (const Index pairs : {Index{1}, Index{-2}}) {
    expect_error([&] { (void)extend(session, result, matrix, {.pairs = pairs}); }, ErrorKind::usage,
                 {"at least 2 pairs"});
  }
}

// Rows of V themselves, handed over as new ones, get the rows of R.
TEST(NewPoints, StandForRowsOrColumnsOfTwoFactors) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto factors = read_objects(
      session, "factors",
      {{"generate", "normal"}, {"points", n}, {"right-points", unseen}, {"dimension", dimension}, {"seed", 3}});
  const auto matrix = similarity(session, "function", {{"function", "logistic"}, {"scale", 0.3}}, factors);
  auto result = approximate(session, matrix, "poly-tensorsketch", {{"features", 61}});
  const auto handed = [&](const ObjectSet& side) {
    const RowBlock<double>& rows = dynamic_cast<const PointSet<double>&>(side).coordinates();
    const MatrixView<const double> own = rows.local();
    const std::span<const double> values(own.data, static_cast<std::size_t>(own.rows * own.columns));
    return distribute_points(session, values, own.columns,
                             std::vector<std::string>(static_cast<std::size_t>(own.rows), "new"));
  };
  const auto largest = [](const Factor<double>& a, const Factor<double>& b) {
    const auto x = a.dense().local(), y = b.dense().local();
    double difference = x.rows == y.rows ? 0 : INFINITY;
    for (Index e = 0; difference < INFINITY && e < x.rows * x.columns; ++e) {
      difference = std::max(difference, std::abs(x.data[e] - y.data[e]));
    }
    return difference;
  };
  const auto rows = extend(session, result, handed(*factors.data().objects));
  const auto columns = extend(session, result, handed(*factors.data().right), {.side = FactorSide::columns});
  const Approximation<double>& before = result.approximation();
  for (const Result<double>* extended : {&rows, &columns}) {
    EXPECT_LT(largest(extended->approximation().left, before.left), 1e-13);
    EXPECT_LT(largest(*extended->approximation().right, *before.right), 1e-13);
    EXPECT_TRUE(extended->report().warnings.empty());
  }
  save(session, folder.file("columns.h5"), columns);
  const auto again = load(session, folder.file("columns.h5"));
  EXPECT_EQ(again.state().right_labels, columns.state().right_labels);
  EXPECT_EQ(std::ssize(again.state().right_labels), before.right->range().size());
  // Entries beyond the rows of U are of columns alone.
  const std::vector<Index> first = {n - 1}, last = {unseen - 1};
  EXPECT_NEAR(entries(session, result, first, last).front(), exact_entries(session, matrix, first, last).front(), 0.05);
  const auto square = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const auto landmark_result = approximate(session, square, "nystrom", landmarks);
  expect_error(
      [&] {
        (void)extend(session, landmark_result, distribute_points(session, new_rows(), dimension),
                     {.side = FactorSide::columns});
      },
      ErrorKind::usage, {"both factors get rows"});
}

// Features of differences need no similarities, nor landmarks.
TEST(NewPoints, GetRandomFrequenciesFromTheFileAlone) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension, {}, "center");
  const auto matrix = similarity(session, "rbf", gamma_of, points);
  auto result = approximate(session, matrix, "rff", {{"features", 2000}});
  EXPECT_LT(probe_error(session, result, matrix).relative_error, 0.1);
  save(session, folder.file("result.h5"), result);
  const auto again = load(session, folder.file("result.h5"));
  EXPECT_LT(
      largest_difference_of_rows(result, extend(session, again, distribute_points(session, own_rows(n), dimension))),
      1e-12);
  const auto unseen_points = distribute_points(session, new_rows(), dimension);
  const auto extended = extend(session, again, unseen_points);
  EXPECT_EQ(extended.size(), unseen);
  EXPECT_EQ(extended.description().evaluations, 0);
}

TEST(AFile, GivesTheResultBack) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const std::vector<double> rows = own_rows(n);
  const auto points = distribute_points(session, rows, dimension, labels_of(std::ssize(rows) / dimension));
  const auto matrix = similarity(session, "rbf", gamma_of, points);
  for (const char* method : {"nystrom", "sicur", "optimal"}) {
    auto result = approximate(session, matrix, method, landmarks);
    const double error = probe_error(session, result, matrix).relative_error;
    save(session, folder.file("result.h5"), result);
    const auto again = load(session, folder.file("result.h5"));
    EXPECT_EQ(largest_difference_of_rows(result, again), 0);
    EXPECT_LT(largest_difference(whole(session, result), whole(session, again)), 1e-12) << method;
    EXPECT_EQ(again.description().error->relative_error, error);
    EXPECT_EQ(again.description().evaluations, result.description().evaluations);
    EXPECT_EQ(again.state().labels, points.labels());
    EXPECT_EQ(again.report().method, method);
  }
}

TEST(AFile, IsExtendedAsTheResultItself) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension, {}, "min-max");
  const auto matrix = similarity(session, "rbf", {{"gamma", "median"}}, points);
  auto result = approximate(session, matrix, "skeleton", landmarks);
  const double error = probe_error(session, result, matrix).relative_error;
  save(session, folder.file("result.h5"), result);
  const auto unseen_points = distribute_points(session, new_rows(), dimension);
  const auto from_file = extend(session, load(session, folder.file("result.h5")), unseen_points);
  const auto directly = extend(session, result, unseen_points);
  EXPECT_LT(largest_difference_of_rows(directly, from_file), 1e-13);
  EXPECT_LT(largest_difference(whole(session, directly), whole(session, from_file)), 1e-12);
  save(session, folder.file("new.h5"), from_file);
  const auto again = load(session, folder.file("new.h5"));
  EXPECT_EQ(again.size(), unseen);
  ASSERT_TRUE(is_extension(again.description()));
  EXPECT_NEAR(extension_error(again.description()).base->relative_error, error, 1e-12);
  EXPECT_FALSE(extension_error(again.description()).rows);
  expect_error(
      [&] {
        (void)approximate(session, similarity(session, "rbf", unseen_points), "nystrom",
                          {{"landmarks.selection", "file"}, {"landmarks.path", folder.file("new.h5")}});
      },
      ErrorKind::input, {"parameter landmarks.path", "extends"});
}

}  // namespace
}  // namespace cairn::test::extend_test
