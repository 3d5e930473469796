// Objects that a program holds: sparse points, texts, a mesh, and landmarks by number, each beside the same in a file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "expected_errors.hpp"
#include "handed_points.hpp"
#include "store/sample_result.hpp"

namespace cairn::test::held_objects_test {
namespace {

constexpr Index n = 60;

void write_on_root(const std::string& path, const std::function<void(std::ostream&)>& fill) {
  if (world().is_root()) {
    std::ofstream file(path);
    file.precision(17);
    fill(file);
  }
  world().barrier();
}

// This rank's part of `count` objects. The last rank has none where it can.
Range part(Index count) {
  const int parts = std::max(1, world().size() - 1);
  return world().rank() < parts ? RowPartition(count, parts).range(world().rank()) : Range{count, count};
}

struct Rows {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
};

// Row i has values in three of 200 columns.
Rows sparse_rows(Range range) {
  Rows rows;
  for (Index i = range.begin; i < range.end; ++i) {
    for (const Index column : {i % 50, 60 + i % 7, 199 - i % 3}) {
      rows.columns.push_back(column);
      rows.values.push_back(column == 62 ? 0.0 : 0.5 + 0.01 * static_cast<double>(i * (column % 11)));
    }
    rows.starts.push_back(std::ssize(rows.columns));
  }
  return rows;
}

std::string label(Index i) { return i % 2 == 0 ? "even" : "odd"; }

std::vector<std::string> labels(Range range) {
  std::vector<std::string> all;
  for (Index i = range.begin; i < range.end; ++i) all.push_back(label(i));
  return all;
}

Objects<> distribute(const Session& session, const Rows& rows, Index width = 200, const std::string& scaling = "none") {
  return distribute_points(session, rows.starts, rows.columns, rows.values, width, {}, scaling);
}

TEST(SparsePoints, OfAProgramAreThoseOfAFile) {
  const TemporaryFolder folder;
  write_on_root(folder.file("points.svm"), [](std::ostream& out) {
    const Rows all = sparse_rows({0, n});
    for (Index i = 0; i < n; ++i) {
      out << label(i);
      for (Index e = all.starts[i]; e < all.starts[i + 1]; ++e)
        out << ' ' << all.columns[e] + 1 << ':' << all.values[e];
      out << '\n';
    }
  });
  const Session session = session_on_all_ranks();
  const Rows own = sparse_rows(part(n));
  for (const char* scaling : {"none", "unit-norm", "standard"}) {
    const auto held = distribute_points(session, own.starts, own.columns, own.values, 200, labels(part(n)), scaling);
    const auto read = read_points(session, folder.file("points.svm"), {{"scaling", scaling}});
    EXPECT_EQ(held.data().digest, read.data().digest) << scaling;
    EXPECT_EQ(held.dimension(), 200);
    EXPECT_EQ(held.labels(), read.labels());
    EXPECT_EQ(held.labels(), labels(held.range()));
    const auto of = [&](const Objects<>& points) {
      return whole(session, approximate(session, similarity(session, "rbf", {{"gamma", 0.1}}, points), "sms-nystrom",
                                        {{"landmarks.count", 15}}));
    };
    EXPECT_EQ(of(held), of(read)) << scaling;
  }
}

TEST(SparsePoints, WithFewZerosAreHeldWithAllCoordinates) {
  const Session session = session_on_all_ranks();
  Rows rows;
  for (Index i = part(n).begin; i < part(n).end; ++i) {
    for (Index k = 0; k < dimension; ++k) rows.columns.push_back(k), rows.values.push_back(coordinate(i, k));
    rows.starts.push_back(std::ssize(rows.columns));
  }
  const auto sparse = distribute(session, rows, dimension);
  EXPECT_FALSE(sparse.data().points()->is_sparse());
  EXPECT_EQ(sparse.data().digest, distribute_points(session, own_rows(n), dimension).data().digest);
}

TEST(SparsePoints, ThatAreNoneAreRefusedOnAllRanks) {
  const Session session = session_on_all_ranks();
  const auto refused = [&](ErrorKind kind, std::initializer_list<const char*> said,
                           const std::function<void(Rows&)>& spoil) {
    Rows rows = sparse_rows(part(n));
    if (world().is_root()) spoil(rows);
    expect_error([&] { (void)distribute(session, rows); }, kind, said);
  };
  refused(ErrorKind::input, {"row 1 of the points", "column 200", "200 columns"}, [](Rows& r) { r.columns[5] = 200; });
  refused(ErrorKind::input, {"row 0 of the points", "columns ascend"}, [](Rows& r) { r.columns[1] = r.columns[0]; });
  refused(ErrorKind::input, {"row 0", "value nan in column"}, [](Rows& r) { r.values[0] = std::nan(""); });
  refused(ErrorKind::usage, {"starts must ascend"}, [](Rows& r) { r.starts[1] = r.starts[2] + 1; });
  refused(ErrorKind::usage, {"starts must lead from 0 to"}, [](Rows& r) { r.starts[0] = 1; });
  refused(ErrorKind::usage, {"values in", "columns"}, [](Rows& r) { r.values.pop_back(); });
  expect_error([&] { (void)distribute(session, Rows()); }, ErrorKind::usage, {"no rank has an object"});
  expect_error([&] { (void)distribute(session, sparse_rows(part(n)), 0); }, ErrorKind::usage, {"0 coordinates"});
}

std::string text(Index i) {
  std::string all = fmt::format("text {}:", i);
  for (Index k = 0; k < 3 + i % 4; ++k) all += " word" + std::string(1, static_cast<char>('a' + (i * 7 + k * k) % 23));
  return all;
}

std::vector<std::string> texts(Range range) {
  std::vector<std::string> all;
  for (Index i = range.begin; i < range.end; ++i) all.push_back(text(i));
  return all;
}

TEST(Texts, OfAProgramAreThoseOfAFile) {
  const TemporaryFolder folder;
  write_on_root(folder.file("texts.tsv"), [](std::ostream& out) {
    for (Index i = 0; i < n; ++i) out << label(i) << '\t' << text(i) << '\n';
  });
  write_on_root(folder.file("vectors.txt"), [](std::ostream& out) {
    for (Index w = 0; w < 20; ++w)
      out << "word" << static_cast<char>('a' + w) << ' ' << 0.1 * static_cast<double>(w) << " 1 " << w % 3 << '\n';
  });
  const Session session = session_on_all_ranks();
  for (const GivenValues& given : {GivenValues{}, GivenValues{{"vectors", folder.file("vectors.txt")}}}) {
    GivenValues of_file = given;
    of_file.push_back({"label", 1});
    const auto held = distribute_documents(session, texts(part(n)), labels(part(n)), given);
    const auto read = read_documents(session, folder.file("texts.tsv"), of_file);
    EXPECT_EQ(held.size(), n);
    EXPECT_EQ(held.data().digest, read.data().digest);
    EXPECT_EQ(held.labels(), read.labels());
    if (given.empty()) continue;
    const auto of = [&](const Objects<>& documents) {
      return whole(session, approximate(session, similarity(session, "wmd", {{"gamma", 0.5}}, documents), "sms-nystrom",
                                        {{"landmarks.count", 12}}));
    };
    EXPECT_EQ(of(held), of(read));
  }
}

TEST(Texts, ThatCannotBeReadAreNamedByTheirNumber) {
  const Session session = session_on_all_ranks();
  std::vector<std::string> own = texts(part(n));
  if (world().rank() == 0) own[3] += std::string(1, '\0');
  expect_error([&] { (void)distribute_documents(session, own); }, ErrorKind::input, {"text 3, from 0"});
  expect_error([&] { (void)distribute_documents(session, texts(part(n)), {"one"}); }, ErrorKind::usage,
               {"1 labels for"});
  expect_error(
      [&] {
        (void)distribute_documents(session, texts(part(n)), {}, {{"path", "a.tsv"}});
      },
      ErrorKind::usage, {"path", "no effect"});
  expect_error(
      [&] {
        (void)distribute_documents(session, texts(part(n)), {}, {{"tokens", "words"}});
      },
      ErrorKind::usage, {"tokens", "no effect"});
  const std::vector<std::string> ended(texts(part(n)).size(), std::string("a\0b", 3));
  expect_error([&] { (void)distribute_documents(session, texts(part(n)), ended); }, ErrorKind::input,
               {"holds a byte 0"});
  expect_error([&] { (void)distribute_documents(session, {}); }, ErrorKind::usage, {"no rank has an object"});
}

// A bent strip of 2 x n vertices, in two pieces.
MeshArrays strip() {
  MeshArrays mesh;
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    mesh.coordinates.insert(mesh.coordinates.end(), {x, 0.0, std::sin(0.2 * x), x, 1.0 + 0.01 * x, std::cos(0.1 * x)});
    if (i == 0 || i == 50) continue;
    mesh.triangles.insert(mesh.triangles.end(), {2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i});
  }
  return mesh;
}

template <class Number>
std::vector<Number> rows_of(const std::vector<Number>& all, Range range) {
  return {all.begin() + 3 * range.begin, all.begin() + 3 * range.end};
}

TEST(AMesh, OfAProgramIsThatOfAFile) {
  const TemporaryFolder folder;
  const MeshArrays mesh = strip();
  const Index vertices = std::ssize(mesh.coordinates) / 3, triangles = std::ssize(mesh.triangles) / 3;
  write_on_root(folder.file("strip.off"), [&](std::ostream& out) {
    out << "OFF\n" << vertices << ' ' << triangles << " 0\n";
    for (Index v = 0; v < vertices; ++v)
      out << mesh.coordinates[3 * v] << ' ' << mesh.coordinates[3 * v + 1] << ' ' << mesh.coordinates[3 * v + 2]
          << '\n';
    for (Index t = 0; t < triangles; ++t)
      out << "3 " << mesh.triangles[3 * t] << ' ' << mesh.triangles[3 * t + 1] << ' ' << mesh.triangles[3 * t + 2]
          << '\n';
  });
  const Session session = session_on_all_ranks();
  const GivenValues largest = {{"largest-component", true}};
  const auto held = distribute_mesh(session, rows_of(mesh.coordinates, part(vertices)),
                                    rows_of(mesh.triangles, part(triangles)), largest);
  const auto read = read_mesh(session, folder.file("strip.off"), largest);
  EXPECT_EQ(held.size(), 100);
  EXPECT_EQ(held.data().digest, read.data().digest);
  EXPECT_EQ(held.data().notes, read.data().notes);
  const auto of = [&](const Objects<>& vertices_of) {
    return whole(session, approximate(session, similarity(session, "geodesic", {}, vertices_of), "biharmonic",
                                      {{"landmarks.count", 12}}));
  };
  EXPECT_EQ(of(held), of(read));
}

TEST(AMesh, ThatIsNoneIsRefusedOnAllRanks) {
  const Session session = session_on_all_ranks();
  const MeshArrays mesh = strip();
  const auto refused = [&](ErrorKind kind, std::initializer_list<const char*> said, const MeshArrays& spoilt,
                           const GivenValues& given = {}) {
    const bool root = world().is_root();
    expect_error(
        [&] {
          (void)distribute_mesh(session, root ? std::span(spoilt.coordinates) : std::span<const double>(),
                                root ? std::span(spoilt.triangles) : std::span<const Index>(), given);
        },
        kind, said);
  };
  MeshArrays spoilt = mesh;
  spoilt.triangles[4] = 2 * n;
  refused(ErrorKind::input, {"the mesh", "triangle 1"}, spoilt);
  spoilt = mesh;
  spoilt.coordinates[7] = std::nan("");
  refused(ErrorKind::input, {"the mesh: vertex 2"}, spoilt);
  spoilt = mesh;
  spoilt.coordinates.pop_back();
  refused(ErrorKind::usage, {"coordinates are not rows of three"}, spoilt);
  refused(ErrorKind::usage, {"format", "no effect"}, mesh, {{"format", "off"}});
  refused(ErrorKind::input, {"no triangles"}, {mesh.coordinates, {}});
}

TEST(AFunctionOfNumbers, ComparesObjectsOfAnyKind) {
  const Session session = session_on_all_ranks();
  const auto matrix = [&](const Objects<>& objects) {
    return similarity_by_number(
        session,
        [](std::span<const Index> rows, std::span<const Index> columns, MatrixView<double> tile) {
          for (Index a = 0; a < tile.rows; ++a) {
            for (Index b = 0; b < tile.columns; ++b) tile(a, b) = rbf(0.3, rows[a], columns[b]);
          }
        },
        objects, {.name = "by-number"});
  };
  const auto documents = distribute_documents(session, texts(part(n)));
  const auto points = distribute_points(session, own_rows(n), dimension);
  const auto of = [&](const SimilarityMatrix<>& entries) {
    return approximate(session, entries, "sms-nystrom", {{"landmarks.count", 15}});
  };
  const auto result = of(matrix(documents));
  const std::vector<double> expected = whole(session, of(similarity(session, "rbf", {{"gamma", 0.3}}, points)));
  EXPECT_LT(largest_difference(whole(session, result), expected), 1e-10);
  EXPECT_LT(largest_difference(whole(session, of(matrix(points))), expected), 1e-10);
  const std::vector<Index> rows = {3, 59}, columns = {4, 0};
  const std::vector<double> exact = exact_entries(session, matrix(documents), rows, columns);
  EXPECT_DOUBLE_EQ(exact[0], rbf(0.3, 3, 4));
  EXPECT_DOUBLE_EQ(exact[1], rbf(0.3, 59, 0));
  expect_error([&] { (void)extend(session, result, matrix(documents)); }, ErrorKind::usage,
               {"by-number is not defined for objects that were not in the data"});
}

TEST(AFunctionOfPairs, ServesEstimatesOfTheError) {
  const Session session = session_on_all_ranks();
  const auto points = distribute_points(session, own_rows(n), dimension);
  Index tiles = 0, pairs = 0;
  const auto entry = [](MatrixView<const double> left, Index a, MatrixView<const double> right, Index b) {
    double squares = 0.0;
    for (Index k = 0; k < dimension; ++k) squares += std::pow(left(a, k) - right(b, k), 2);
    return std::exp(-0.3 * squares);
  };
  const TileFunction<double> of_tiles = [&](MatrixView<const double> left, MatrixView<const double> right,
                                            MatrixView<double> tile) {
    ++tiles;
    for (Index a = 0; a < tile.rows; ++a) {
      for (Index b = 0; b < tile.columns; ++b) tile(a, b) = entry(left, a, right, b);
    }
  };
  const TileFunction<double> of_pairs = [&](MatrixView<const double> left, MatrixView<const double> right,
                                            MatrixView<double> tile) {
    ++pairs;
    ASSERT_EQ(left.rows, right.rows);
    for (Index a = 0; a < tile.rows; ++a) tile(a, 0) = entry(left, a, right, a);
  };
  const auto error = [&](const TileFunction<double>& function_of_pairs) {
    const auto matrix = similarity(session, of_tiles, points, {}, function_of_pairs);
    auto result = approximate(session, matrix, "nystrom", {{"landmarks.count", 5}});
    tiles = 0;
    return probe_error(session, result, matrix).relative_error;
  };
  const double expected = error({});
  EXPECT_GT(tiles, 100);
  EXPECT_NEAR(error(of_pairs), expected, 1e-12);
  EXPECT_EQ(tiles, 0);
  EXPECT_GT(pairs, 0);
}

TEST(Landmarks, OfAListAreThoseOfAFile) {
  const TemporaryFolder folder;
  write_on_root(folder.file("landmarks.txt"), [](std::ostream& out) { out << "3\n41\n7\n20\n"; });
  const Session session = session_on_all_ranks();
  const auto matrix = similarity(session, "rbf", {{"gamma", 0.3}}, distribute_points(session, own_rows(n), dimension));
  const auto with = [&](const GivenValues& landmarks) { return approximate(session, matrix, "nystrom", landmarks); };
  const auto listed = with({{"landmarks.selection", "by-list"}, {"landmarks.list", "3, 41,7,20"}});
  const auto read = with({{"landmarks.selection", "file"}, {"landmarks.path", folder.file("landmarks.txt")}});
  EXPECT_EQ(listed.approximation().left_origin->indices, (std::vector<Index>{3, 41, 7, 20}));
  EXPECT_EQ(whole(session, listed), whole(session, read));
  const auto first =
      with({{"landmarks.selection", "by-list"}, {"landmarks.list", "3,41,7,20"}, {"landmarks.count", 2}});
  EXPECT_EQ(first.approximation().left_origin->indices, (std::vector<Index>{3, 41}));
  const auto refused = [&](const char* list, ErrorKind kind, std::initializer_list<const char*> said) {
    expect_error([&] { (void)with({{"landmarks.selection", "by-list"}, {"landmarks.list", list}}); }, kind, said);
  };
  refused("3,x", ErrorKind::usage, {"landmarks.list", "\"x\" is no row number"});
  refused("3,,4", ErrorKind::usage, {"landmarks.list", "is no row number"});
  refused("3,60", ErrorKind::input, {"landmarks.list, number 2", "60 is out of range"});
  refused("3,4,3", ErrorKind::input, {"landmarks.list, number 3", "is there already"});
  expect_error([&] { (void)with({{"landmarks.selection", "by-list"}}); }, ErrorKind::usage, {"list"});
  expect_error(
      [&] {
        (void)with({{"landmarks.list", "1,2"}, {"landmarks.count", 2}});
      },
      ErrorKind::usage, {"landmarks.list", "belongs to by-list"});
}

}  // namespace
}  // namespace cairn::test::held_objects_test
