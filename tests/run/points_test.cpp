// From points of a program to an approximation, its error and its file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <utility>

#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::points_test {
namespace {

constexpr Index n = 70;
const GivenValues gamma_of = {{"gamma", 0.3}};
const GivenValues landmarks = {{"landmarks.count", 20}};

std::vector<double> values_of_rows(const Factor<double>& factor) {
  const MatrixView<const double> rows = factor.dense().local();
  return {rows.data, rows.data + rows.rows * rows.columns};
}

// All points by rank 0, with as many digits as give the same numbers back.
void write_points(const std::string& path) {
  if (world().is_root()) {
    std::ofstream file(path);
    file.precision(17);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < dimension; ++k) file << (k > 0 ? "," : "") << coordinate(i, k);
      file << "\n";
    }
  }
  world().barrier();
}

TEST(Points, ThatAProgramHoldsGiveWhatTheSamePointsInAFileGive) {
  const TemporaryFolder folder;
  write_points(folder.file("points.csv"));
  const Session session = session_on_all_ranks();
  const auto approximate_these = [&](const Objects<>& points) {
    return approximate(session, similarity(session, "rbf", {{"gamma", "median"}}, points), "sms-nystrom", landmarks);
  };
  const auto held = approximate_these(distribute_points(session, own_rows(n), dimension, {}, "standard"));
  const auto read = approximate_these(read_points(session, folder.file("points.csv"), {{"scaling", "standard"}}));
  EXPECT_EQ(held.size(), n);
  EXPECT_EQ(values_of_rows(held.approximation().left), values_of_rows(read.approximation().left));
  EXPECT_EQ(whole(session, held), whole(session, read));
  EXPECT_EQ(held.description().similarity_parameters, read.description().similarity_parameters);
  EXPECT_EQ(held.description().data_digest, read.description().data_digest);
  EXPECT_EQ(held.description().evaluations, read.description().evaluations);
}

TEST(Points, GiveTheSameResultOnAnyNumberOfRanks) {
  for (const char* method : {"nystrom", "sms-nystrom", "sicur"}) {
    const auto on = [&](const Session& session, const std::vector<double>& rows) {
      const auto points = distribute_points(session, rows, dimension);
      return approximate(session, similarity(session, "rbf", gamma_of, points), method, landmarks);
    };
    const Session all = session_on_all_ranks(), alone(MPI_COMM_SELF, {.seed = 5});
    const auto together = on(all, own_rows(n)), by_itself = on(alone, rows_between(0, n));
    EXPECT_EQ(together.approximation().left_origin->indices, by_itself.approximation().left_origin->indices);
    EXPECT_LT(largest_difference(whole(all, together), whole(alone, by_itself)), 1e-9) << method;
  }
}

TEST(Points, AreComparedByAFunctionAsByTheSimilarityThatItIs) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  const auto named = similarity(session, "rbf", gamma_of, points);
  const auto function =
      similarity(session,
                 [](MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> tile) {
                   for (Index a = 0; a < tile.rows; ++a) {
                     for (Index b = 0; b < tile.columns; ++b) {
                       double squares = 0;
                       for (Index k = 0; k < left.columns; ++k) squares += std::pow(left(a, k) - right(b, k), 2);
                       tile(a, b) = std::exp(-0.3 * squares);
                     }
                   }
                 },
                 points, {.name = "mine"});
  auto first = approximate(session, named, "nystrom", landmarks);
  auto second = approximate(session, function, "nystrom", landmarks);
  EXPECT_LT(largest_difference(whole(session, first), whole(session, second)), 1e-8);
  EXPECT_NEAR(probe_error(session, first, named).relative_error, probe_error(session, second, function).relative_error,
              1e-8);
  EXPECT_EQ(second.description().similarity, "mine");
  EXPECT_EQ(first.description().evaluations, second.description().evaluations);
}

TEST(Points, AreComparedInSinglePrecisionToo) {
  const Session session = session_on_all_ranks();
  const std::vector<double> rows = own_rows(n);
  const auto points = distribute_points(session, std::vector<float>(rows.begin(), rows.end()), dimension);
  const auto result =
      approximate(session, similarity(session, "rbf", gamma_of, points), "nystrom", {{"landmarks.count", n}});
  const AllPairs pairs(n);
  double largest = 0;
  const std::vector<double> approximate = whole(session, result);
  for (std::size_t e = 0; e < approximate.size(); ++e) {
    largest = std::max(largest, std::abs(approximate[e] - rbf(0.3, pairs.rows[e], pairs.columns[e])));
  }
  EXPECT_LT(largest, 1e-3);
}

TEST(NearEntries, AreExactThenAndAfterTheyWereReadAgain) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", 8}});
  const std::vector<double> before = whole(session, result);
  const Index evaluations = result.description().evaluations;
  keep_near(session, result, matrix, 5);
  const double kept = result.description().metrics.at("near_entries");
  EXPECT_GE(kept, n * 6);  // five of each, and the diagonal
  EXPECT_EQ(evaluations + result.description().metrics.at("near_evaluations"),
            static_cast<double>(result.description().evaluations));
  save(session, folder.file("near.h5"), result);
  const AllPairs pairs(n);
  const std::vector<double> after = whole(session, result),
                            again = whole(session, load(session, folder.file("near.h5")));
  Index exact = 0;
  for (std::size_t e = 0; e < after.size(); ++e) {
    const double value = rbf(0.3, pairs.rows[e], pairs.columns[e]);
    if (after[e] != before[e]) EXPECT_NEAR(value, after[e], 1e-10);
    exact += std::abs(after[e] - value) < 1e-10 ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(exact), kept);
  EXPECT_LT(largest_difference(after, again), 1e-12);
  expect_error([&] { keep_near(session, result, matrix, n); }, ErrorKind::usage,
               {"parameter near = 70 is too many: each of 70 objects has 69 others"});
}

TEST(AnErrorEstimate, OfFewObjectsIsThatOfALoopOverAllEntries) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", 8}});
  const AllPairs pairs(n);
  const std::vector<double> approximate = whole(session, result);
  double difference = 0, norm = 0;
  for (std::size_t e = 0; e < approximate.size(); ++e) {
    const double exact = rbf(0.3, pairs.rows[e], pairs.columns[e]);
    difference += (approximate[e] - exact) * (approximate[e] - exact);
    norm += exact * exact;
  }
  const ErrorEstimate estimate = probe_error(session, result, matrix, {.precision = 1e-12});
  EXPECT_EQ(estimate.stopped_by, StoppedBy::all);
  EXPECT_GT(estimate.relative_error, 0.05);
  EXPECT_NEAR(estimate.relative_error, std::sqrt(difference / norm), 1e-9);
  EXPECT_EQ(result.description().error->relative_error, estimate.relative_error);
}

TEST(ExactEntries, AreThoseOfTheDefinition) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const Index mine = world().rank();
  const std::vector<Index> rows = {mine, 69, 40}, columns = {3, 0, 40};
  const std::vector<double> exact = exact_entries(session, matrix, rows, columns);
  for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(exact[e], rbf(0.3, rows[e], columns[e]), 1e-12);
}

TEST(TheCoreMatrix, BetweenTheFactorsGivesTheEntries) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  for (const char* method : {"nystrom", "optimal", "stacur"}) {
    const auto result = approximate(session, matrix, method, landmarks);
    const Buffer<double> core_matrix = cairn::core_matrix(session, result);
    const auto& left = result.approximation().left.dense();
    const std::vector<double> right = world().all_gather(values_of_rows(result.approximation().right_factor()));
    const Index p = left.columns(), q = result.approximation().right_factor().columns();
    ASSERT_EQ(core_matrix.size(), p * q);
    const std::vector<double> expected = whole(session, result);
    double largest = 0;
    for (Index i = left.range().begin; i < left.range().end; ++i) {
      for (Index j = 0; j < n; ++j) {
        double value = 0;
        for (Index a = 0; a < p; ++a) {
          for (Index b = 0; b < q; ++b) {
            value += left.row(i)[a] * core_matrix[a * q + b] * right[j * q + b];
          }
        }
        largest = std::max(largest, std::abs(value - expected[i * n + j]));
      }
    }
    EXPECT_LT(largest, 1e-9) << method;
  }
}

TEST(Landmarks, AreChosenByName) {
  const TemporaryFolder folder;
  if (world().is_root()) std::ofstream(folder.file("rows.txt")) << "7\n3\n60\n";
  world().barrier();
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const auto chosen = [&](GivenValues how) {
    return approximate(session, matrix, "nystrom", how).approximation().left_origin->indices;
  };
  EXPECT_THAT(chosen({{"landmarks.selection", "file"}, {"landmarks.path", folder.file("rows.txt")}}),
              testing::ElementsAre(7, 3, 60));
  EXPECT_EQ(chosen({{"landmarks.fraction", 0.1}}).size(), 7U);
  const std::vector<Index> farthest = chosen({{"landmarks.count", 2}, {"landmarks.selection", "farthest"}});
  Index far = 0;
  for (Index i = 0; i < n; ++i) {
    if (rbf(0.3, farthest[0], i) < rbf(0.3, farthest[0], far)) far = i;
  }
  EXPECT_EQ(farthest[1], far);
  EXPECT_EQ(chosen({{"landmarks.count", 9}, {"landmarks.selection", "rpcholesky"}}).size(), 9U);
}

// The last objects, of which a program knows that they are the ones to take.
template <class T>
Landmarks<T> last_objects(const SelectionInput<T>& input) {
  Landmarks<T> landmarks;
  for (Index k = 0; k < input.count; ++k) landmarks.indices.push_back(input.objects.size() - 1 - k);
  landmarks.objects = input.objects.gather(input.execution.communicator, landmarks.indices);
  return landmarks;
}

TEST(Landmarks, AreChosenByTheSelectionOfAProgram) {
  static const LandmarkSelection last = {.name = "last",
                                         .summary = "The last objects.",
                                         .source = "",
                                         .run_single = last_objects<float>,
                                         .run_double = last_objects<double>};
  [[maybe_unused]] static const bool added = (add_landmark_selection(last), true);  // once in a process
  EXPECT_THROW(add_landmark_selection(last), Error);
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const auto result =
      approximate(session, matrix, "nystrom", {{"landmarks.count", 3}, {"landmarks.selection", "last"}});
  EXPECT_THAT(result.approximation().left_origin->indices, testing::ElementsAre(n - 1, n - 2, n - 3));
  EXPECT_EQ(result.description().landmark_selection, "last");
}

TEST(Landmarks, OfPivotsAreTakenForADistance) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "euclidean", distribute_points(session, own_rows(n), dimension));
  const auto result =
      approximate(session, matrix, "nystrom", {{"landmarks.count", 9}, {"landmarks.selection", "rpcholesky"}});
  EXPECT_EQ(result.approximation().left_origin->indices.size(), 9U);
  EXPECT_EQ(result.description().landmark_selection, "rpcholesky");
}

TEST(Evaluations, OfAResultAreItsOwn) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  for (const char* gamma : {"0.3", "median"}) {
    const auto matrix = similarity(session, "rbf", {{"gamma", gamma}}, points);
    auto first = approximate(session, matrix, "nystrom", landmarks);
    (void)probe_error(session, first, matrix);
    const auto second = approximate(session, matrix, "nystrom", landmarks);
    EXPECT_EQ(second.description().evaluations, first.description().evaluations) << gamma;
  }
  const auto distances = similarity(session, "euclidean", points);
  const GivenValues goal = {{"landmarks.error", 0.05}};
  const auto first = approximate(session, distances, "nystrom", goal),
             second = approximate(session, distances, "nystrom", goal);
  EXPECT_EQ(second.description().evaluations, first.description().evaluations);
}

TEST(ABlock, HasTheEntriesOfTheRowsAndColumnsOfEachRank) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  const Index rank = world().rank();
  const std::vector<Index> rows = {n - 1, rank, 5, rank}, columns = {7, 7, rank + 1};
  const Buffer<double> block = exact_block(session, matrix, rows, rank == 1 ? std::span<const Index>() : columns);
  const Index width = rank == 1 ? 0 : 3;
  ASSERT_EQ(block.size(), 4 * width);
  for (Index e = 0; e < block.size(); ++e) {
    EXPECT_NEAR(block[e], rbf(0.3, rows[e / width], columns[e % width]), 1e-12) << "entry " << e;
  }
  expect_error(
      [&] {
        (void)exact_block(session, matrix, rows, std::vector<Index>{0, n});
      },
      ErrorKind::usage, {"no object 70"});
}

// Tiles of all ranks are those of the loop; what the watch throws ends the computation on all ranks.
TEST(AWatch, IsToldOfEveryTileAndEndsAComputation) {
  std::map<std::string, std::pair<Index, Index>> seen;
  bool stop = false;
  SessionOptions options{.seed = 5};
  options.watch = [&](const char* loop, Index finished, Index tiles) {
    if (stop && finished > 0) throw Error(ErrorKind::interrupted, "enough");
    seen[loop] = {finished, tiles};
  };
  const Session session(world().handle(), options);
  const auto matrix = similarity(session, "rbf", gamma_of, distribute_points(session, own_rows(n), dimension));
  (void)approximate(session, matrix, "nystrom", landmarks);
  ASSERT_FALSE(seen.empty());
  for (const auto& [loop, counts] : seen) EXPECT_EQ(world().sum(counts.first), counts.second) << loop;
  stop = true;
  expect_error([&] { (void)approximate(session, matrix, "nystrom", landmarks); }, ErrorKind::interrupted, {"enough"});
}

TEST(AResult, LivesOnWithoutTheVariablesThatItWasMadeFrom) {
  const auto make = [] {
    const Session session = session_on_all_ranks();
    const auto points = distribute_points(session, own_rows(n), dimension);
    const auto matrix = similarity(session, "rbf", gamma_of, points);
    return std::pair(matrix, approximate(session, matrix, "nystrom", {{"landmarks.count", n}}));
  };
  auto [matrix, result] = make();
  const Session another = session_on_all_ranks();
  EXPECT_LT(probe_error(another, result, matrix).relative_error, 1e-6);
}

}  // namespace
}  // namespace cairn::test::points_test
