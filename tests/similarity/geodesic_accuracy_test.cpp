// Geodesic distances against exact ones, on meshes whose triangles are long and thin too.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include "../data/written_files.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "exact_geodesics.hpp"

namespace cairn::test::geodesic_accuracy_test {
namespace {

using Matrix3 = std::array<std::array<double, 3>, 3>;

std::string obj_text(const std::vector<std::array<double, 3>>& vertices, const std::vector<std::array<int, 3>>& faces) {
  std::string text;
  for (const auto& v : vertices) text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", v[0], v[1], v[2]);
  for (const auto& f : faces) text += fmt::format("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
  return text;
}

// A sphere of about `points` vertices, each multiplied by `map`.
TriangleMesh mapped_sphere(const WrittenFiles& files, Index points, const Matrix3& map) {
  const TriangleMesh sphere = read_mesh(world(), {.generator = "sphere", .points = points});
  std::vector<std::array<double, 3>> vertices;
  for (Index v = 0; v < sphere.size(); ++v) {
    std::array<double, 3> moved{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) moved[i] += map[i][j] * sphere.vertex(v)[j];
    }
    vertices.push_back(moved);
  }
  std::vector<std::array<int, 3>> faces;
  for (Index t = 0; t < sphere.triangle_count(); ++t)
    faces.push_back({sphere.triangle(t)[0], sphere.triangle(t)[1], sphere.triangle(t)[2]});
  return read_mesh(world(), {.path = files.write("m.obj", obj_text(vertices, faces))});
}

constexpr Matrix3 stretched{{{10, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix3 sheared{{{10, 10, 0}, {0, 1, 2}, {0, 0, 1}}};
constexpr Matrix3 flattened{{{10, 0, 0}, {0, 10, 0}, {0, 0, 1}}};

struct Accuracy {
  double error = 0.0;       // root mean square over the mean distance
  double below_line = 0.0;  // share of distances that are shorter than the straight line by more than a tenth
};

Accuracy accuracy_of(const TriangleMesh& mesh, const std::vector<Index>& sources,
                     const GeodesicParameters& parameters = {}) {
  const auto geodesic = make_geodesic(world(), mesh, parameters);
  const auto n = static_cast<std::size_t>(mesh.size());
  std::vector<double> values(sources.size() * n);
  geodesic->to_all(sources, MatrixView<double>(values.data(), static_cast<Index>(sources.size()), mesh.size()));
  double squares = 0.0, sum = 0.0, below = 0.0;
  for (std::size_t a = 0; a < sources.size(); ++a) {
    const std::vector<double> exact = exact_geodesics(mesh, sources[a]);
    const double* p = mesh.vertex(sources[a]);
    for (std::size_t v = 0; v < n; ++v) {
      const double* q = mesh.vertex(static_cast<Index>(v));
      const double value = values[a * n + v];
      squares += (value - exact[v]) * (value - exact[v]);
      sum += exact[v];
      below += value < 0.9 * std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) ? 1.0 : 0.0;
    }
  }
  const auto count = static_cast<double>(values.size());
  return {std::sqrt(squares / count) * count / sum, below / count};
}

// The reference itself: a cube's opposite corners are the root of 5 apart, over two unfolded faces.
TEST(ExactGeodesics, UnfoldACube) {
  const WrittenFiles files;
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  const std::vector<double> exact = exact_geodesics(read_mesh(world(), {.path = files.write("m.obj", text)}), 0);
  const std::vector<double> expected{0, 1, std::sqrt(2.0), 1, 1, std::sqrt(2.0), std::sqrt(5.0), std::sqrt(2.0)};
  for (std::size_t v = 0; v < 8; ++v) EXPECT_NEAR(exact[v], expected[v], 1e-14) << v;
}

// A plane with a square hole: paths bend at its corners.
TEST(ExactGeodesics, BendAroundAHole) {
  const WrittenFiles files;
  std::string text;
  const int side = 8;
  for (int i = 0; i <= side * (side + 2); ++i) text += fmt::format("v {} {} 0\n", i % (side + 1), i / (side + 1));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const int v = y * (side + 1) + x + 1;
      const bool hole = x >= 3 && x < 5 && y >= 2 && y < 6;
      if (!hole) text += fmt::format("f {} {} {} {}\n", v, v + 1, v + side + 2, v + side + 1);
    }
  }
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", text), .drop_unused = true});
  Index left = 0, right = 0;
  for (Index v = 0; v < mesh.size(); ++v) {
    if (mesh.vertex(v)[1] != 4) continue;
    if (mesh.vertex(v)[0] == 0) left = v;
    if (mesh.vertex(v)[0] == 8) right = v;
  }
  const std::vector<double> exact = exact_geodesics(mesh, left);
  EXPECT_NEAR(exact[right], 2 * std::hypot(3.0, 2.0) + 2.0, 1e-12);
}

TEST(ExactGeodesics, AreGreatCirclesOnAFineSphere) {
  const TriangleMesh mesh = read_mesh(world(), {.generator = "sphere", .points = 2562});
  const std::vector<double> exact = exact_geodesics(mesh, 7);
  const double* p = mesh.vertex(7);
  for (Index v = 0; v < mesh.size(); ++v) {
    const double* q = mesh.vertex(v);
    const double chord = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    const double arc = 2.0 * std::asin(std::min(1.0, 0.5 * chord));
    EXPECT_LE(exact[v], arc * (1 + 1e-12)) << v;
    EXPECT_GE(exact[v], std::max(chord * (1 - 1e-12), 0.996 * arc)) << v;
  }
}

TEST(GeodesicAccuracy, IsThatOfTheSphereWhereItIsStretched) {
  const WrittenFiles files;
  for (const auto& [name, map, bound] :
       {std::tuple{"stretched", stretched, 0.02}, {"sheared", sheared, 0.02}, {"flattened", flattened, 0.02}}) {
    const TriangleMesh mesh = mapped_sphere(files, 2562, map);
    const Accuracy accuracy = accuracy_of(mesh, {0, 700, 1999});
    EXPECT_LT(accuracy.error, bound) << name;
    EXPECT_LT(accuracy.below_line, 0.01) << name;
  }
}

// A surface of deep folds, where heat distances are too long; smaller steps of time help.
TEST(GeodesicAccuracy, IsSomePercentOnTheBrain) {
  const TriangleMesh mesh = read_mesh(world(), {.path = std::string(CAIRN_TEST_DATA) + "/brain-7502.obj.xz"});
  EXPECT_LT(accuracy_of(mesh, {0}).error, 0.11);
  EXPECT_LT(accuracy_of(mesh, {0}, {.time_factor = 0.1}).error, 0.03);
}

}  // namespace
}  // namespace cairn::test::geodesic_accuracy_test
