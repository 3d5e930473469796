// Runs by the keys of a config, and graphs that a program holds.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::keys_test {
namespace {

constexpr Index n = 70;

// All points by rank 0, with as many digits as give the same numbers back.
std::string points_file(const TemporaryFolder& folder) {
  const std::string path = folder.file("points.csv");
  if (world().is_root()) {
    std::ofstream file(path);
    file.precision(17);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < dimension; ++k) file << (k > 0 ? "," : "") << coordinate(i, k);
      file << "\n";
    }
  }
  world().barrier();
  return path;
}

GivenValues keys_and(GivenValues more) {
  GivenValues keys = {{"similarity.kind", "rbf"},
                      {"similarity.gamma", 0.3},
                      {"approximation.method", "sms-nystrom"},
                      {"landmarks.count", 20}};
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

TEST(ARunByKeys, GivesWhatItsStepsGive) {
  const TemporaryFolder folder;
  const std::string path = points_file(folder);
  const Session session = session_on_all_ranks();
  const auto by_keys = approximate(session, keys_and({{"data.path", path}, {"evaluation.pairs", 300}}));
  const auto matrix = similarity(session, "rbf", {{"gamma", 0.3}}, read_points(session, path));
  auto by_steps = approximate(session, matrix, "sms-nystrom", {{"landmarks.count", 20}});
  const ErrorEstimate error = probe_error(session, by_steps, matrix, {.count = 300});
  EXPECT_EQ(whole(session, by_keys), whole(session, by_steps));
  ASSERT_TRUE(by_keys.description().error);
  EXPECT_EQ(by_keys.description().error->relative_error, error.relative_error);
  EXPECT_EQ(by_keys.description().evaluations, by_steps.description().evaluations);
  ASSERT_TRUE(by_keys.state().metrics);
  EXPECT_EQ(by_keys.state().metrics->factors.objects, n);
}

TEST(ARunByKeys, TakesObjectsThatTheProgramHas) {
  const TemporaryFolder folder;
  const std::string path = points_file(folder);
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  const auto held = approximate(session, points, keys_and({{"evaluation.rows", "all"}}));
  const auto read = approximate(session, keys_and({{"data.path", path}, {"evaluation.rows", "all"}}));
  EXPECT_EQ(whole(session, held), whole(session, read));
  EXPECT_EQ(held.description().error->relative_error, read.description().error->relative_error);
  EXPECT_EQ(held.description().error->relative_error_standard_error, 0);
}

TEST(ARunByKeys, KeepsExactEntriesAndWritesItsFile) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  const std::string path = folder.file("result.h5");
  const auto result = approximate(session, points, keys_and({{"output.near", 5}, {"output.path", path}}));
  std::vector<Index> diagonal(n);
  for (Index i = 0; i < n; ++i) diagonal[i] = i;
  for (const double entry : entries(session, result, diagonal, diagonal)) EXPECT_DOUBLE_EQ(entry, 1.0);
  EXPECT_EQ(whole(session, load(session, path)), whole(session, result));
}

TEST(ARunByKeys, IsPlannedByThem) {
  const TemporaryFolder folder;
  const std::string path = points_file(folder);
  const Session session = session_on_all_ranks();
  const GivenValues keys = keys_and({{"data.path", path}});
  EXPECT_EQ(plan(session, keys).evaluations, approximate(session, keys).description().evaluations);
  EXPECT_LT(plan(session, keys, 40).evaluations, n * n);
}

TEST(ARunByKeys, GoesOnFromItsCheckpoint) {
  const TemporaryFolder folder;
  const std::string path = points_file(folder), checkpoint = folder.file("run.checkpoint");
  const Session session = session_on_all_ranks();
  const GivenValues keys = keys_and({{"data.path", path}, {"run.checkpoint", checkpoint}});
  GivenValues stopped = keys, resumed = keys;
  stopped.emplace_back("run.max-time", 0);
  resumed.emplace_back("restart", true);
  expect_error([&] { (void)approximate(session, stopped); }, ErrorKind::interrupted, {});
  expect_error([&] { (void)approximate(session, keys); }, ErrorKind::usage, {checkpoint.c_str()});
  const auto result = approximate(session, resumed);
  ASSERT_TRUE(result.state().metrics->checkpoint);
  EXPECT_GT(result.state().metrics->checkpoint->restored_tiles, 0);
  EXPECT_EQ(whole(session, result), whole(session, approximate(session, keys_and({{"data.path", path}}))));
}

TEST(ARunByKeys, NamesTheKeyThatIsRefused) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  const auto run = [&](GivenValues more) { return [&, more] { (void)approximate(session, points, keys_and(more)); }; };
  expect_error(run({{"landmarks.cuont", 3}}), ErrorKind::usage, {"landmarks.cuont", "landmarks.count"});
  expect_error(run({{"run.seed", 3}}), ErrorKind::usage, {"run.seed is an option of the session"});
  expect_error(run({{"data.path", "x.csv"}}), ErrorKind::usage, {"data.path has no effect"});
  expect_error(run({{"output.distances", true}}), ErrorKind::usage, {"output.distances has no effect"});
  expect_error(run({{"approximation.neighbours", 3}}), ErrorKind::usage, {"approximation.neighbours has no effect"});
  expect_error(run({{"restart", true}}), ErrorKind::usage, {"restart", "run.checkpoint"});
  expect_error([&] { (void)approximate(session, keys_and({})); }, ErrorKind::usage, {"data.path"});
  if (world().size() == 1) return;
  expect_error(run({{"evaluation.pairs", 100 + world().rank()}}), ErrorKind::usage,
               {"approximate()", "evaluation.pairs = 100"});
}

TEST(ARunByKeys, ReplacesNoInputAndNoFileOfOthers) {
  const TemporaryFolder folder;
  const std::string path = points_file(folder), notes = folder.file("notes.txt");
  if (world().is_root()) std::ofstream(notes) << "not a result";
  world().barrier();
  const Session session = session_on_all_ranks();
  const auto to = [&](const std::string& output, bool overwrite) {
    return [&session, path, output, overwrite] {
      (void)approximate(session, keys_and({{"data.path", path}, {"output.path", output}, {"overwrite", overwrite}}));
    };
  };
  expect_error(to(path, true), ErrorKind::usage, {"output.path", "data.path"});
  expect_error(to(notes, false), ErrorKind::usage, {"notes.txt"});
  to(notes, true)();
  to(notes, false)();  // a result by now
  EXPECT_EQ(load(session, notes).size(), n);
}

// The rows of a path 0 - 1 - ... - (n - 1) with a chord, of which the second rank holds none; arcs in both directions.
struct OwnRows {
  std::vector<Index> starts{0}, neighbors;
  std::vector<double> weights;
};

OwnRows rows_of_a_path(bool both_directions) {
  OwnRows rows;
  const auto rank = static_cast<Index>(world().rank()), ranks = static_cast<Index>(world().size());
  const auto bound = [&](Index r) { return r == 1 && ranks > 2 ? n / ranks / ranks : n * r * r / (ranks * ranks); };
  const auto add = [&](Index u, double weight) { rows.neighbors.push_back(u), rows.weights.push_back(weight); };
  for (Index v = bound(rank); v < bound(rank + 1); ++v) {
    if (v > 0 && both_directions) add(v - 1, static_cast<double>(v));
    if (v + 1 < n) add(v + 1, static_cast<double>(v + 1));
    if (v == 3) add(3, 1.0);  // a loop
    rows.starts.push_back(static_cast<Index>(rows.neighbors.size()));
  }
  return rows;
}

// The edge from v - 1 to v weighs v.
double length_of_path(Index i, Index j) {
  const auto sum = [](Index v) { return static_cast<double>(v * (v + 1)) / 2.0; };
  return std::abs(sum(i) - sum(j));
}

TEST(AGraphOfAProgram, HasThePathLengthsOfItsEdges) {
  const Session session = session_on_all_ranks();
  for (const bool both : {true, false}) {
    const OwnRows own = rows_of_a_path(both);
    const auto graph = distribute_graph(session, own.starts, own.neighbors, own.weights);
    EXPECT_EQ(graph.size(), n);
    const auto result = approximate(session, graph,
                                    {{"similarity.kind", "path-length"},
                                     {"approximation.method", "biharmonic"},
                                     {"landmarks.count", n},
                                     {"evaluation.rows", 0}});
    const AllPairs pairs(n);
    const std::vector<double> lengths = whole(session, result);
    for (std::size_t e = 0; e < lengths.size(); ++e) {
      ASSERT_DOUBLE_EQ(lengths[e], length_of_path(pairs.rows[e], pairs.columns[e])) << both;
    }
  }
}

TEST(AGraphOfAProgram, IsRefusedWithItsVertex) {
  const Session session = session_on_all_ranks();
  const bool first = world().is_root();
  const auto made = [&](std::vector<Index> starts, std::vector<Index> neighbors, std::vector<double> weights) {
    return [&session, first, starts, neighbors, weights] {
      const std::vector<Index> none = {0};
      (void)distribute_graph(session, first ? starts : none, first ? neighbors : std::vector<Index>(),
                             first ? weights : std::vector<double>());
    };
  };
  expect_error(made({0, 1, 2}, {1, 2}, {}), ErrorKind::input, {"vertex 1 has the neighbor 2", "2 vertices"});
  expect_error(made({0, 1, 1}, {1}, {-1.0}), ErrorKind::input, {"from vertex 0 to 1", "-1"});
  expect_error(made({0, 1, 1}, {1}, {std::numeric_limits<double>::infinity()}), ErrorKind::input, {"inf"});
  expect_error(made({0, 1, 2}, {1}, {}), ErrorKind::usage, {"starts must lead from 0 to 1"});
  expect_error(made({0, 1, 0, 2}, {1, 0}, {}), ErrorKind::usage, {"ascend"});
  expect_error(made({0, 1, 2}, {1, 0}, {1.0}), ErrorKind::usage, {"1 weights for 2 arcs"});
  expect_error(made({0, 1, 2, 3, 4}, {1, 0, 3, 2}, {}), ErrorKind::input, {"largest_component"});
  const std::vector<Index> starts = {0, 1, 2, 3, 4, 4}, neighbors = {1, 0, 3, 2}, none = {0};
  EXPECT_EQ(distribute_graph(session, first ? starts : none, first ? neighbors : std::vector<Index>(), {}, true).size(),
            2);
}

}  // namespace
}  // namespace cairn::test::keys_test
