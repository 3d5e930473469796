// The cotangent operator against angles and areas that are known, and against what linear functions must give.
#include "cairn/operator/cotangent_operator.hpp"

#include <cmath>

#include "../data/written_files.hpp"
#include "cairn/base/random.hpp"

namespace cairn::test::cotangent_operator_test {
namespace {

BiharmonicOperator operator_of(const WrittenFiles& files, const std::string& text, MeshSource source = {}) {
  source.path = files.write("m.obj", text);
  return cotangent_operator(world(), read_mesh(world(), source));
}

double weight_between(const BiharmonicOperator& a, Index i, Index j) {
  for (Index arc = a.starts[i]; arc < a.starts[i + 1]; ++arc) {
    if (a.neighbors[arc] == j) return a.weight(arc);
  }
  ADD_FAILURE() << "no arc " << i << " -> " << j;
  return 0.0;
}

// Two right triangles, cut along the diagonal 0-2, folded by a right angle: angles of 90, 45 and 45 degrees each.
TEST(CotangentOperator, HasTheCotangentsOfAFoldedSquare) {
  const WrittenFiles files;
  const BiharmonicOperator a =
      operator_of(files, "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 1 1.4142135623730951\nf 1 2 3\nf 3 4 1\n");
  EXPECT_EQ(a.kind, "cotangent");
  ASSERT_EQ(a.size(), 4);
  EXPECT_EQ(a.starts[1], 2) << "the diagonal faces two right angles: its weight is 0, and no arc";
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 0}}) {
    EXPECT_NEAR(weight_between(a, i, j), 0.5, 1e-15);  // a boundary edge: half of cot 45
    EXPECT_EQ(weight_between(a, i, j), weight_between(a, j, i));
  }
  EXPECT_NEAR(a.degrees[0], 1.0, 1e-15);
  const double area = 2.0;
  EXPECT_NEAR(1.0 / a.inverse_mass[1], area / 3.0, 1e-15);
  EXPECT_NEAR(1.0 / a.inverse_mass[0], 2.0 * area / 3.0, 1e-15);
}

TEST(CotangentOperator, OfARegularTetrahedronHasEqualWeights) {
  const WrittenFiles files;
  const BiharmonicOperator a =
      operator_of(files, "v 1 1 1\nv 1 -1 -1\nv -1 1 -1\nv -1 -1 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n");
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      if (i != j) EXPECT_NEAR(weight_between(a, i, j), 1.0 / std::sqrt(3.0), 1e-14);  // cot 60
    }
    EXPECT_NEAR(1.0 / a.inverse_mass[i], 2.0 * std::sqrt(3.0), 1e-14);  // 3 faces of sqrt(3)/4 * 8, a third of each
  }
}

// (V - A) applied to a linear function is zero at inner vertices of a plane mesh, whatever its triangles are.
TEST(CotangentOperator, AnnihilatesLinearFunctionsInThePlane) {
  const WrittenFiles files;
  std::string text;
  const Random random(20240611, Stream::test);
  const Index side = 7;
  for (Index i = 0; i < side * side; ++i) {
    const auto address = static_cast<std::uint64_t>(i);
    text += "v " + std::to_string(static_cast<double>(i % side) + 0.6 * random.uniform(address, 0)) + " " +
            std::to_string(static_cast<double>(i / side) + 0.6 * random.uniform(address, 1)) + " 3\n";
  }
  for (Index y = 0; y + 1 < side; ++y) {
    for (Index x = 1; x < side; ++x) {
      const Index i = y * side + x;
      for (const auto& [p, q, r] : {std::tuple{i, i + 1, i + side}, {i + 1, i + side + 1, i + side}})
        text += "f " + std::to_string(p) + " " + std::to_string(q) + " " + std::to_string(r) + "\n";
    }
  }
  MeshSource source{.path = files.write("m.obj", text)};
  const TriangleMesh mesh = read_mesh(world(), source);
  const BiharmonicOperator a = cotangent_operator(world(), mesh);
  const auto f = [&](Index v) { return 2.0 * mesh.vertex(v)[0] - 5.0 * mesh.vertex(v)[1] + 1.0; };
  for (Index v = 0; v < side * side; ++v) {
    if (v % side == 0 || v % side == side - 1 || v / side == 0 || v / side == side - 1) continue;
    double sum = a.degrees[v] * f(v);
    for (Index arc = a.starts[v]; arc < a.starts[v + 1]; ++arc) sum -= a.weight(arc) * f(a.neighbors[arc]);
    EXPECT_NEAR(sum, 0.0, 1e-11) << "vertex " << v << ", seed 20240611";
  }
}

TEST(CotangentOperator, OfTheBrainHasItsAreaAndRowSumsZero) {
  const TriangleMesh mesh = read_mesh(world(), {.path = std::string(CAIRN_TEST_DATA) + "/brain-7502.obj.xz"});
  const BiharmonicOperator a = cotangent_operator(world(), mesh);
  EXPECT_EQ(a.neighbors.size(), 2 * 22500);
  double mass = 0.0, area = 0.0;
  for (Index v = 0; v < a.size(); ++v) {
    mass += 1.0 / a.inverse_mass[v];
    double sum = a.degrees[v];
    for (Index arc = a.starts[v]; arc < a.starts[v + 1]; ++arc) {
      sum -= a.weight(arc);
      if (arc > a.starts[v]) EXPECT_LT(a.neighbors[arc - 1], a.neighbors[arc]);
    }
    EXPECT_NEAR(sum, 0.0, 1e-12);
  }
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const double *p = mesh.vertex(mesh.triangle(t)[0]), *q = mesh.vertex(mesh.triangle(t)[1]),
                 *r = mesh.vertex(mesh.triangle(t)[2]);
    const double a2 = std::hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]),
                 b2 = std::hypot(r[0] - q[0], r[1] - q[1], r[2] - q[2]),
                 c2 = std::hypot(p[0] - r[0], p[1] - r[1], p[2] - r[2]), s = (a2 + b2 + c2) / 2.0;
    area += std::sqrt(s * (s - a2) * (s - b2) * (s - c2));  // Heron
  }
  EXPECT_NEAR(mass / area, 1.0, 1e-10);
}

TEST(CotangentOperator, RefusesTrianglesWithoutArea) {
  const WrittenFiles files;
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n";
  expect_error([&] { (void)operator_of(files, text); }, ErrorKind::input,
               {"1 triangles of the mesh have no area", "parameter drop-degenerate"});
  EXPECT_EQ(operator_of(files, text, {.drop_unused = true, .drop_degenerate = true}).size(), 3);
}

}  // namespace
}  // namespace cairn::test::cotangent_operator_test
