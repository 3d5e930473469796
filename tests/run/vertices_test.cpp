// Graphs and meshes: similarities that come from one vertex to all others, and biharmonic interpolation.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "cairn/run/answers/result_answers.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::vertices_test {
namespace {

constexpr Index side = 12, n = side * side;

Objects<> grid(const Session& session) {
  return read_objects(session, "graph", {{"generate", "grid"}, {"points", n}, {"removed", 0}});
}

double steps(Index i, Index j) {
  return static_cast<double>(std::abs(i / side - j / side) + std::abs(i % side - j % side));
}

TEST(PathLengths, OfAGridAreThoseOfItsStepsWhereAllVerticesAreLandmarks) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "path-length", grid(session));
  auto result = approximate(session, matrix, "biharmonic", {{"landmarks.count", n}});
  const AllPairs pairs(n);
  const std::vector<double> approximate = whole(session, result);
  for (std::size_t e = 0; e < approximate.size(); ++e) {
    ASSERT_EQ(approximate[e], steps(pairs.rows[e], pairs.columns[e]));
  }
  EXPECT_EQ(probe_error(session, result, matrix).relative_error, 0);
}

TEST(PathLengths, BetweenLandmarksAreKeptAndOthersAreNear) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "path-length", grid(session));
  for (const char* selection : {"uniform", "farthest"}) {
    auto result = approximate(session, matrix, "biharmonic",
                              {{"landmarks.count", 30}, {"landmarks.selection", selection}, {"p-row", 30}});
    const std::vector<Index>& landmarks = result.approximation().left_origin->indices;
    ASSERT_EQ(landmarks.size(), 30U);
    const std::vector<Index> rows(landmarks.begin(), landmarks.begin() + 29),
        columns(landmarks.begin() + 1, landmarks.end());
    const std::vector<double> kept = entries(session, result, rows, columns);
    for (std::size_t e = 0; e < kept.size(); ++e) EXPECT_NEAR(kept[e], steps(rows[e], columns[e]), 1e-9);
    const ErrorEstimate error = probe_error(session, result, matrix, {.count = n});
    EXPECT_GT(error.relative_error, 1e-4);
    EXPECT_LT(error.relative_error, 0.1);
    EXPECT_EQ(result.report().operator_kind, "graph");
  }
}

TEST(PathLengths, AreColumnsOfNystromToo) {
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "path-length", grid(session));
  auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", n}});
  EXPECT_LT(probe_error(session, result, matrix).relative_error, 1e-6);
}

TEST(PathLengths, StayExactInFiles) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = grid(session);
  const auto approximate_by = [&](const char* search) {
    const auto matrix = similarity(session, "path-length", {{"search", search}}, objects);
    return approximate(session, matrix, "biharmonic", {{"landmarks.count", 20}});
  };
  save(session, folder.file("r.h5"), approximate_by("hierarchy"));
  save(session, folder.file("again.h5"), load(session, folder.file("r.h5")));
  save(session, folder.file("searched.h5"), approximate_by("dijkstra"));
  for (const char* name : {"r.h5", "again.h5"}) {
    const auto lengths = read_path_lengths(world(), folder.file(name));
    ASSERT_NE(lengths, nullptr) << name;
    std::vector<double> row(n);
    const Index source = 17;
    lengths->to_all(std::span(&source, 1), {row.data(), 1, n});
    for (Index j = 0; j < n; ++j) EXPECT_EQ(steps(17, j), row[j]);
  }
  EXPECT_EQ(read_path_lengths(world(), folder.file("searched.h5")), nullptr);
}

TEST(PathLengths, OfHangingTreesAreTheSameFromAFile) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = read_objects(
      session, "graph", {{"generate", "grid"}, {"points", 400}, {"removed", 0.45}, {"largest-component", "true"}});
  const auto matrix = similarity(session, "path-length", objects);
  auto result = approximate(session, matrix, "biharmonic", {{"landmarks.count", 30}});
  ASSERT_NE(result.approximation().trees, nullptr);
  const Index hanging = result.approximation().trees->hanging();
  EXPECT_GT(hanging, 20);
  save(session, folder.file("r.h5"), result);
  const ResultShape shape = read_result_shape(world(), folder.file("r.h5"));
  EXPECT_EQ(shape.format_version, 3);
  EXPECT_EQ(shape.rows, matrix.size());
  EXPECT_EQ(shape.core_rows, matrix.size() - hanging);
  EXPECT_EQ(shape.left_columns, 32);
  auto stored = load(session, folder.file("r.h5"));
  EXPECT_EQ(stored.approximation().trees->hanging(), hanging);
  EXPECT_EQ(whole(session, stored), whole(session, result));
  const double error = probe_error(session, stored, matrix, {.count = matrix.size()}).relative_error;
  EXPECT_LT(error, 0.1);
  auto interpolated = approximate(session, matrix, "biharmonic", {{"landmarks.count", 30}, {"exact-trees", "false"}});
  EXPECT_EQ(interpolated.approximation().trees, nullptr);
  EXPECT_LT(error, probe_error(session, interpolated, matrix, {.count = matrix.size()}).relative_error);
}

TEST(PathLengths, AnswerPairsPieceByPiece) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  save(
      session, folder.file("r.h5"),
      approximate(session, similarity(session, "path-length", grid(session)), "biharmonic", {{"landmarks.count", 20}}));
  std::string expected;
  if (world().is_root()) {
    std::ofstream file(folder.file("pairs.csv"));
    for (Index k = 0; k < 50; ++k) {
      const Index i = k * 37 % n, j = k * k * 5 % n;
      file << i << "," << j << "\n";
      expected += std::to_string(std::abs(i / side - j / side) + std::abs(i % side - j % side)) + "\n";
    }
  }
  world().barrier();
  const ResultAnswers<double> answers(session.execution(), folder.file("r.h5"), {});
  EXPECT_TRUE(answers.exact());
  EXPECT_EQ(answers.factors(), nullptr);
  for (const Index together : {1, 7, 50, 51}) {
    std::string found;
    Index pieces = 0;
    const Index count =
        answer_pairs(session.execution(), answers, {.path = folder.file("pairs.csv"), .together = together},
                     [&](const std::string& lines) {
                       found += lines;
                       ++pieces;
                     });
    EXPECT_EQ(count, 50);
    EXPECT_EQ(pieces, (50 + together - 1) / together);
    EXPECT_EQ(found, expected);
  }
}

TEST(TheRowsOfAResult, ServeAnotherSimilarity) {
  const TemporaryFolder folder;
  const Session session = session_on_all_ranks();
  const auto objects = grid(session);
  const auto first =
      approximate(session, similarity(session, "path-length", objects), "biharmonic", {{"landmarks.count", 20}});
  save(session, folder.file("paths.h5"), first);
  const auto dijkstra = similarity(session, "path-length", {{"search", "dijkstra"}}, objects);
  const auto second = approximate(session, dijkstra, "biharmonic", {{"reuse", folder.file("paths.h5")}});
  EXPECT_LT(largest_difference(whole(session, first), whole(session, second)), 1e-12);
  EXPECT_EQ(second.description().landmark_selection, "farthest");
  const auto larger = read_objects(session, "graph", {{"generate", "grid"}, {"points", 400}, {"removed", 0}});
  expect_error(
      [&] {
        (void)approximate(session, similarity(session, "path-length", larger), "biharmonic",
                          {{"reuse", folder.file("paths.h5")}});
      },
      ErrorKind::input, {"parameter reuse", "was made from 144"});
}

TEST(TheCoreMatrix, IsKeptOnDiskWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  const Session session(world().handle(), {.scratch_folder = folder.path()});
  const auto matrix = similarity(session, "path-length", grid(session));
  const auto on = [&](const char* storage) {
    return approximate(session, matrix, "biharmonic", {{"landmarks.count", 25}, {"joining-storage", storage}});
  };
  const auto memory = on("memory"), disk = on("disk"), automatic = on("auto");
  EXPECT_FALSE(std::get<TiledCore>(disk.approximation().core_matrix).matrix.in_memory());
  EXPECT_TRUE(std::get<TiledCore>(automatic.approximation().core_matrix).matrix.in_memory());
  const Buffer<double> first = core_matrix(session, memory), second = core_matrix(session, disk);
  ASSERT_EQ(first.size(), 25 * 25);
  const std::vector<Index>& landmarks = memory.approximation().left_origin->indices;
  for (Index a = 0; a < 25; ++a) {
    for (Index b = 0; b < 25; ++b) {
      EXPECT_EQ(first[a * 25 + b], steps(landmarks[a], landmarks[b]));
      EXPECT_EQ(first[a * 25 + b], second[a * 25 + b]);
    }
  }
}

TEST(AGraph, InAFileIsTheOneThatItDescribes) {
  const TemporaryFolder folder;
  if (world().is_root()) {
    std::ofstream file(folder.file("grid.txt"));
    for (Index v = 0; v < n; ++v) {
      if (v % side + 1 < side) file << v << " " << v + 1 << "\n";
      if (v + side < n) file << v << " " << v + side << "\n";
    }
  }
  world().barrier();
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "path-length", read_graph(session, folder.file("grid.txt")));
  const std::vector<Index> rows = {0, 17, n - 1}, columns = {n - 1, 100, 5};
  const std::vector<double> exact = exact_entries(session, matrix, rows, columns);
  for (std::size_t e = 0; e < 3; ++e) EXPECT_EQ(exact[e], steps(rows[e], columns[e]));
  const std::vector<Index> sources = {17, 0, 17}, targets = {n - 1, 5, 100, 5};
  const Buffer<double> table = exact_block(session, matrix, sources, targets);
  ASSERT_EQ(table.size(), 12);
  for (Index e = 0; e < 12; ++e) EXPECT_EQ(table[e], steps(sources[e / 4], targets[e % 4])) << "entry " << e;
}

// 1 / (1 + |i - j|), as rows of float64.
TEST(AMatrix, InAFileIsApproximatedByNumbersAlone) {
  const TemporaryFolder folder;
  constexpr Index size = 40;
  const auto entry = [](Index i, Index j) { return 1.0 / (1.0 + static_cast<double>(std::abs(i - j))); };
  if (world().is_root()) {
    std::ofstream file(folder.file("k.npy"), std::ios::binary);
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (40, 40), }";
    header.resize(117, ' ');
    header += '\n';
    file.write("\x93NUMPY\x01\x00\x76\x00", 10) << header;
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) {
        const double value = entry(i, j);
        file.write(reinterpret_cast<const char*>(&value), sizeof value);
      }
    }
  }
  world().barrier();
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "matrix", {{"path", folder.file("k.npy")}, {"meaning", "similarity"}},
                                 numbered_objects(session, size));
  const auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", size}});
  const AllPairs pairs(size);
  const std::vector<double> approximate = whole(session, result);
  for (std::size_t e = 0; e < approximate.size(); ++e) {
    ASSERT_NEAR(approximate[e], entry(pairs.rows[e], pairs.columns[e]), 1e-8);
  }
  expect_error([&] { (void)numbered_objects(session, 0); }, ErrorKind::usage, {"0 objects"});
  expect_error([&] { (void)extend(session, result, numbered_objects(session, size)); }, ErrorKind::usage, {"points"});
}

TEST(AGraph, InPiecesIsRefused) {
  const Session session = session_on_all_ranks();
  expect_error(
      [&] {
        (void)read_objects(session, "graph", {{"generate", "grid"}, {"points", n}, {"removed", 0.6}});
      },
      ErrorKind::input, {"pieces", "parameter largest-component"});
}

TEST(Geodesics, OfASphereAreNearItsArcs) {
  const Session session = session_on_all_ranks();
  const auto sphere = read_objects(session, "mesh", {{"generate", "sphere"}, {"points", 700}});
  const auto matrix = similarity(session, "geodesic", sphere);
  const auto result = approximate(session, matrix, "biharmonic", {{"landmarks.count", 60}});
  EXPECT_EQ(result.report().operator_kind, "cotangent");
  const TriangleMesh& mesh = *sphere.data().as<TriangleMesh>();
  const std::vector<Index> rows = {0, 11, 80}, columns = {500, 300, 20};
  const std::vector<double> values = entries(session, result, rows, columns);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const double *x = mesh.vertex(rows[e]), *y = mesh.vertex(columns[e]);
    EXPECT_NEAR(values[e], std::acos(std::clamp(x[0] * y[0] + x[1] * y[1] + x[2] * y[2], -1.0, 1.0)), 0.1);
  }
}

TEST(VerticesOfAMesh, AreComparedByTheirPositions) {
  const Session session = session_on_all_ranks();
  const auto sphere = read_objects(session, "mesh", {{"generate", "sphere"}, {"points", 300}});
  const auto matrix = similarity(session, "rbf", {{"gamma", 2}}, sphere);
  for (const char* method : {"biharmonic", "nystrom"}) {
    auto result = approximate(session, matrix, method, {{"landmarks.count", sphere.size()}});
    EXPECT_LT(probe_error(session, result, matrix).relative_error, 1e-6) << method;
  }
}

TEST(Points, AreInterpolatedBetweenTheirLandmarks) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(90), dimension);
  const auto matrix = similarity(session, "rbf", {{"gamma", 0.1}}, points);
  const auto result =
      approximate(session, matrix, "biharmonic", {{"landmarks.count", 40}, {"neighbours", 8}, {"perplexity", 5}});
  const std::vector<Index>& landmarks = result.approximation().left_origin->indices;
  const std::vector<Index> rows = {landmarks[0], landmarks[10]}, columns = {landmarks[5], landmarks[3]};
  const std::vector<double> kept = entries(session, result, rows, columns);
  for (std::size_t e = 0; e < 2; ++e) EXPECT_NEAR(kept[e], rbf(0.1, rows[e], columns[e]), 1e-9);
  EXPECT_EQ(result.report().operator_kind, "neighbours");
}

}  // namespace
}  // namespace cairn::test::vertices_test
