// Geodesic distances against those that are known, and against a dense solve of the same equations.
#include "cairn/similarity/geodesic/geodesic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "../data/written_files.hpp"
#include "cairn/base/random.hpp"
#include "cairn/operator/intrinsic_triangulation.hpp"

namespace cairn::test::geodesic_test {
namespace {

using Matrix = std::vector<std::vector<double>>;
constexpr std::uint64_t seed = 20240612;

std::vector<double> all_from(const SourceSimilarity& geodesic, const std::vector<Index>& sources) {
  std::vector<double> values(sources.size() * static_cast<std::size_t>(geodesic.size()));
  geodesic.to_all(sources, MatrixView<double>(values.data(), static_cast<Index>(sources.size()), geodesic.size()));
  return values;
}

// A square of side x side vertices, moved at random, bent along a parabola.
std::string bent_square(Index side) {
  const Random random(seed, Stream::test);
  std::string text;
  for (Index i = 0; i < side * side; ++i) {
    const auto address = static_cast<std::uint64_t>(i);
    const double x = static_cast<double>(i % side) + 0.4 * random.uniform(address, 0);
    text += "v " + std::to_string(x) + " " +
            std::to_string(static_cast<double>(i / side) + 0.4 * random.uniform(address, 1)) + " " +
            std::to_string(0.1 * x * x) + "\n";
  }
  for (Index i = 1; i < side * (side - 1); ++i) {
    if (i % side == 0) continue;
    for (const auto& [p, q, r] : {std::tuple{i, i + 1, i + side}, {i + 1, i + side + 1, i + side}})
      text += "f " + std::to_string(p) + " " + std::to_string(q) + " " + std::to_string(r) + "\n";
  }
  return text;
}

// Gaussian elimination with pivots.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

struct Point {
  double x = 0.0, y = 0.0;
};

// A triangle laid into the plane by the law of cosines, and the gradients of its three hat functions.
struct Flat {
  explicit Flat(const std::array<double, 3>& sides) {
    const auto [ab, bc, ca] = sides;
    const double angle = std::acos((ab * ab + ca * ca - bc * bc) / (2.0 * ab * ca));
    const std::array<Point, 3> corners{Point{}, {ab, 0.0}, {ca * std::cos(angle), ca * std::sin(angle)}};
    area = 0.5 * ab * ca * std::sin(angle);
    for (std::size_t k = 0; k < 3; ++k) {
      const Point &p = corners[(k + 1) % 3], &q = corners[(k + 2) % 3];
      hats[k] = {-(q.y - p.y) / (2.0 * area), (q.x - p.x) / (2.0 * area)};
    }
  }
  double area = 0.0;
  std::array<Point, 3> hats;
};

// The paper's steps word by word on the Delaunay triangles, every matrix dense. Boundary vertices are those of `rim`.
std::vector<double> dense_heat_method(const TriangleMesh& mesh, Index source, const std::vector<bool>& rim,
                                      bool average) {
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  const auto n = static_cast<std::size_t>(mesh.size());
  Matrix laplacian(n, std::vector<double>(n, 0.0)), heat = laplacian;
  std::vector<Flat> flats;
  const auto corner = [&](Index t, std::size_t k) {
    return static_cast<std::size_t>(triangles.corners[3 * t + static_cast<Index>(k)]);
  };
  std::map<std::pair<std::size_t, std::size_t>, double> edges;
  for (Index t = 0; t < triangles.triangle_count(); ++t) {
    flats.emplace_back(triangles.side_lengths(t));
    for (std::size_t k = 0; k < 3; ++k) {
      edges[std::minmax({corner(t, k), corner(t, (k + 1) % 3)})] = triangles.side_lengths(t)[k];
      heat[corner(t, k)][corner(t, k)] += flats.back().area / 3.0;
      for (std::size_t m = 0; m < 3; ++m) {
        const Point &p = flats.back().hats[k], &q = flats.back().hats[m];
        laplacian[corner(t, k)][corner(t, m)] += flats.back().area * (p.x * q.x + p.y * q.y);
      }
    }
  }
  double length = 0.0;  // of the mean edge; no two edges of this mesh have the same vertices
  for (const auto& edge : edges) length += edge.second / static_cast<double>(edges.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) heat[i][j] += length * length * laplacian[i][j];
  }
  std::vector<double> delta(n, 0.0);
  delta[source] = 1.0;
  std::vector<double> u = solve(heat, delta);
  if (average) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!rim[i]) continue;
      std::fill(heat[i].begin(), heat[i].end(), 0.0);
      heat[i][i] = 1.0;
      delta[i] = 0.0;
    }
    const std::vector<double> swallowed = solve(heat, delta);
    for (std::size_t i = 0; i < n; ++i) u[i] = 0.5 * (u[i] + swallowed[i]);
  }
  std::vector<double> b(n, 0.0);
  for (Index t = 0; t < triangles.triangle_count(); ++t) {
    const Flat& flat = flats[t];
    Point gradient;
    for (std::size_t k = 0; k < 3; ++k) {
      gradient.x += u[corner(t, k)] * flat.hats[k].x;
      gradient.y += u[corner(t, k)] * flat.hats[k].y;
    }
    const double norm = std::hypot(gradient.x, gradient.y);
    for (std::size_t k = 0; k < 3; ++k) {
      const Point& hat = flat.hats[k];
      b[corner(t, k)] -= flat.area * (hat.x * gradient.x + hat.y * gradient.y) / norm;
    }
  }
  std::fill(laplacian[0].begin(), laplacian[0].end(), 0.0);  // the first value is 0 before the shift
  laplacian[0][0] = 1.0;
  b[0] = 0.0;
  std::vector<double> phi = solve(laplacian, b);
  const double shift = phi[source];
  for (double& value : phi) value -= shift;
  return phi;
}

TEST(Geodesic, IsTheHeatMethodSolvedDensely) {
  const WrittenFiles files;
  const Index side = 9;
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", bent_square(side))});
  std::vector<bool> rim(side * side);
  for (Index i = 0; i < side * side; ++i) {
    rim[i] = i % side == 0 || i % side == side - 1 || i / side == 0 || i / side == side - 1;
  }
  std::vector<Index> sources(side * side);
  std::iota(sources.begin(), sources.end(), Index{0});
  for (const bool average : {true, false}) {
    const auto geodesic = make_geodesic(world(), mesh, {.boundary = average ? "average" : "neumann"});
    const std::vector<double> values = all_from(*geodesic, sources);
    for (const Index source : {Index{0}, Index{40}, Index{17}, Index{78}}) {
      const std::vector<double> expected = dense_heat_method(mesh, source, rim, average);
      for (std::size_t v = 0; v < expected.size(); ++v) {
        EXPECT_NEAR(values[static_cast<std::size_t>(source * side * side) + v], expected[v], 1e-9)
            << "from " << source << " to " << v << ", seed " << seed;
      }
    }
  }
}

// Largest and root mean square of the differences, both over the mean of the true distances.
struct Errors {
  double largest = 0.0, mean_square = 0.0;
};
template <class Truth>
Errors errors_of(const TriangleMesh& mesh, const std::vector<Index>& sources, Truth truth) {
  const std::vector<double> values = all_from(*make_geodesic(world(), mesh, {}), sources);
  double sum = 0.0, squares = 0.0, largest = 0.0;
  for (std::size_t a = 0; a < sources.size(); ++a) {
    for (Index v = 0; v < mesh.size(); ++v) {
      const double expected = truth(sources[a], v);
      const double difference =
          std::abs(values[a * static_cast<std::size_t>(mesh.size()) + static_cast<std::size_t>(v)] - expected);
      sum += expected;
      squares += difference * difference;
      largest = std::max(largest, difference);
    }
  }
  const auto count = static_cast<double>(values.size());
  return {largest * count / sum, std::sqrt(squares / count) * count / sum};
}

TEST(Geodesic, IsTheGreatCircleOnASphere) {
  for (const auto& [points, bound] : {std::pair{Index{2562}, 0.012}, {10242, 0.008}}) {
    const TriangleMesh mesh = read_mesh(world(), {.generator = "sphere", .points = points});
    const Errors errors = errors_of(mesh, {0, 100, 1234}, [&](Index i, Index j) {
      const double *p = mesh.vertex(i), *q = mesh.vertex(j);
      return 2.0 * std::asin(std::min(1.0, 0.5 * std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])));
    });
    EXPECT_LT(errors.mean_square, bound) << points;
    EXPECT_LT(errors.largest, 2.5 * bound) << points;
  }
}

// A boundary: distances along a Swiss roll are those of the rectangle that it is rolled from.
TEST(Geodesic, IsEuclideanInTheRectangleOfASwissRoll) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "swiss-roll", .points = 5000});
  const Index b = 34, a = mesh.size() / b;
  const double length = 89.37327471, height = 21.0;
  for (const auto& [sources, bound] : {std::pair{std::vector<Index>{b * 70 + 17, b * 20 + 10}, 0.025},
                                       {std::vector<Index>{0, b - 1, b * 70}, 0.018}}) {
    const Errors errors = errors_of(mesh, sources, [&](Index i, Index j) {
      return std::hypot(static_cast<double>(i / b - j / b) * length / static_cast<double>(a - 1),
                        static_cast<double>(i % b - j % b) * height / static_cast<double>(b - 1));
    });
    EXPECT_LT(errors.mean_square, bound);
    EXPECT_LT(errors.largest, 3.0 * bound);
  }
}

TEST(Geodesic, GivesTargetsWhatItGivesAll) {
  const TriangleMesh mesh = read_mesh(world(), {.path = std::string(CAIRN_TEST_DATA) + "/brain-7502.obj.xz"});
  const auto geodesic = make_geodesic(world(), mesh, {});
  EXPECT_EQ(geodesic->size(), 7502);
  EXPECT_FALSE(geodesic->traits().symmetric_by_construction);
  std::vector<Index> sources;
  for (Index i = 0; i < 19; ++i) sources.push_back(i * 391);  // a full block and a part of one
  const std::vector<double> all = all_from(*geodesic, sources);
  const auto targets = geodesic->prepare({5, 7501, 0, 391});
  std::vector<double> chosen(sources.size() * 4);
  geodesic->to_targets(sources, *targets, MatrixView<double>(chosen.data(), 19, 4));
  for (std::size_t a = 0; a < sources.size(); ++a) {
    EXPECT_EQ(all[a * 7502 + static_cast<std::size_t>(sources[a])], 0.0);
    for (std::size_t b = 0; b < 4; ++b)
      EXPECT_EQ(chosen[4 * a + b], all[a * 7502 + static_cast<std::size_t>(targets->targets[b])]);
  }
  EXPECT_EQ(geodesic->evaluations(), 19 * (7502 + 4));
  // SciPy 1.10 (SuperLU) on Delaunay triangles flipped in Python, the same method.
  EXPECT_NEAR(all[5], 3.8845259196264315, 1e-9);
  EXPECT_NEAR(all[700], 47.4351974651265, 1e-9);
}

TEST(Geodesic, NamesVerticesOfDifferentComponents) {
  const WrittenFiles files;
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 2 4 3\nf 5 6 7\n";
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", text)});
  const auto geodesic = make_geodesic(world(), mesh, {});
  std::vector<double> one(1);
  const std::vector<Index> source{1};
  const MatrixView<double> out(one.data(), 1, 1);
  geodesic->to_targets(source, *geodesic->prepare({2}), out);
  EXPECT_NEAR(one[0], std::sqrt(2.0), 0.5);
  expect_error([&] { geodesic->to_targets(source, *geodesic->prepare({5}), out); }, ErrorKind::numeric,
               {"no path from vertex 1 to vertex 5", "parameter largest-component"});
}

TEST(Geodesic, RefusesParametersThatMeanNothing) {
  const WrittenFiles files;
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", bent_square(3))});
  for (const double factor : {0.0, -1.0, std::nan("")}) {
    expect_error([&] { (void)make_geodesic(world(), mesh, {.time_factor = factor}); }, ErrorKind::usage,
                 {"parameter time-factor must be positive"});
  }
  expect_error([&] { (void)make_geodesic(world(), mesh, {.boundary = "wall"}); }, ErrorKind::usage,
               {"'wall' is not known", "average and neumann"});
}

// A strip of 3,000 squares: heat dies out before its end, which is said; with larger steps it arrives.
TEST(Geodesic, SaysWhereHeatDoesNotArrive) {
  const WrittenFiles files;
  std::string text;
  const Index squares = 3000;
  for (Index i = 0; i <= squares; ++i) {
    for (int y = 0; y < 2; ++y) text += "v " + std::to_string(i) + " " + std::to_string(y) + " 0\n";
  }
  for (Index i = 1; i <= 2 * squares; ++i)
    text += "f " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 2) + "\n";
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", text)});
  expect_error([&] { (void)all_from(*make_geodesic(world(), mesh, {}), {0}); }, ErrorKind::numeric,
               {"the heat from vertex 0 underflows", "parameter time-factor"});
  const std::vector<double> values = all_from(*make_geodesic(world(), mesh, {.time_factor = 16}), {0});
  EXPECT_NEAR(values.back() / static_cast<double>(squares), 1.0, 0.01);
}

}  // namespace
}  // namespace cairn::test::geodesic_test
