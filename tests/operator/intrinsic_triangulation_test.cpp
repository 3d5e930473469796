// Edge flips against quadrilaterals that can be drawn, and what no flip may change.
#include "cairn/operator/intrinsic_triangulation.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "../data/written_files.hpp"
#include "cairn/base/random.hpp"
#include "cairn/operator/cotangent_operator.hpp"
#include "cairn/operator/triangle_shape.hpp"

namespace cairn::test::intrinsic_triangulation_test {
namespace {

TriangleMesh mesh_of(const WrittenFiles& files, const std::string& text, MeshSource source = {}) {
  source.path = files.write("m.obj", text);
  return read_mesh(world(), source);
}

// The angle between the sides a and b of a triangle with the third side c.
double angle(double a, double b, double c) {
  return std::acos(std::clamp((a * a + b * b - c * c) / (2 * a * b), -1.0, 1.0));
}

// What a flip leaves as it is: the area of the surface and the angle about each vertex.
struct Shape {
  double area = 0.0;
  std::vector<double> angles;
};
void add_triangle(Shape& shape, const std::array<std::int32_t, 3>& corners, const std::array<double, 3>& lengths) {
  shape.area += area_of(lengths);
  for (std::size_t k = 0; k < 3; ++k) {
    shape.angles[corners[k]] += angle(lengths[k], lengths[(k + 2) % 3], lengths[(k + 1) % 3]);
  }
}
Shape shape_of(const TriangleMesh& mesh) {
  Shape shape{0.0, std::vector<double>(static_cast<std::size_t>(mesh.size()), 0.0)};
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    std::array<double, 3> lengths{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double *p = mesh.vertex(mesh.triangle(t)[k]), *q = mesh.vertex(mesh.triangle(t)[(k + 1) % 3]);
      lengths[k] = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    }
    add_triangle(shape, {mesh.triangle(t)[0], mesh.triangle(t)[1], mesh.triangle(t)[2]}, lengths);
  }
  return shape;
}
Shape shape_of(const IntrinsicTriangulation& triangles) {
  Shape shape{0.0, std::vector<double>(static_cast<std::size_t>(triangles.vertices), 0.0)};
  for (Index t = 0; t < triangles.triangle_count(); ++t) {
    const auto& corners = triangles.corners;
    add_triangle(shape, {corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]}, triangles.side_lengths(t));
  }
  return shape;
}

void expect_same_surface(const TriangleMesh& mesh, const IntrinsicTriangulation& triangles, double tolerance) {
  const Shape before = shape_of(mesh), after = shape_of(triangles);
  EXPECT_NEAR(after.area / before.area, 1.0, tolerance);
  for (std::size_t v = 0; v < before.angles.size(); ++v) EXPECT_NEAR(before.angles[v], after.angles[v], tolerance) << v;
}

void expect_no_negative_weights(const TriangleMesh& mesh, double tolerance) {
  ASSERT_EQ(mesh.report().boundary_edges, 0);
  const BiharmonicOperator a = cotangent_operator(world(), mesh, CotangentArcs::all);
  for (Index arc = 0; arc < a.neighbors.size(); ++arc) ASSERT_GE(a.weights[arc], -tolerance) << arc;
}

TriangleMesh stretched_sphere(const WrittenFiles& files, Index points, double factor) {
  const TriangleMesh sphere = read_mesh(world(), {.generator = "sphere", .points = points});
  std::string text;
  for (Index v = 0; v < sphere.size(); ++v) {
    const double* p = sphere.vertex(v);
    text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", factor * p[0], p[1], p[2]);
  }
  for (Index t = 0; t < sphere.triangle_count(); ++t) {
    const std::int32_t* f = sphere.triangle(t);
    text += fmt::format("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
  }
  return mesh_of(files, text);
}

// A kite, long along the edge 1-2 that cuts it: the angles that face the edge are obtuse. The other diagonal is 2 long.
TEST(IntrinsicDelaunay, FlipsTheLongDiagonalOfAKite) {
  const WrittenFiles files;
  for (const char* second : {"f 2 1 4\n", "f 1 2 4\n"}) {  // oriented as the first triangle is, or the other way
    const TriangleMesh mesh = mesh_of(files, std::string("v -3 0 0\nv 3 0 0\nv 0 1 0\nv 0 -1 0\nf 1 2 3\n") + second);
    const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
    EXPECT_EQ(triangles.flips.edges, 5);
    EXPECT_EQ(triangles.flips.flipped, 1);
    expect_same_surface(mesh, triangles, 1e-14);
    EXPECT_NEAR(triangles.mean_length, (4 * std::sqrt(10.0) + 2.0) / 5.0, 1e-14);
    for (Index t = 0; t < 2; ++t) {
      EXPECT_EQ(std::count(triangles.lengths.values().begin() + 3 * t, triangles.lengths.values().begin() + 3 * t + 3,
                           triangles.lengths[1]),
                1);
    }
    EXPECT_NEAR(triangles.lengths[1], 2.0, 1e-14);
    const BiharmonicOperator a = cotangent_operator(world(), triangles);
    EXPECT_EQ(a.flips.flipped, 1);
    EXPECT_EQ(std::count(a.neighbors.values().begin(), a.neighbors.values().begin() + a.starts[1], 1), 0);
  }
}

TEST(IntrinsicDelaunay, TakesTheTrianglesOfTheMeshIfNothingIsToBeFlipped) {
  const WrittenFiles files;
  const TriangleMesh mesh = mesh_of(files, "v -3 0 0\nv 3 0 0\nv 0 1 0\nv 0 -1 0\nf 1 2 3\nf 2 1 4\n");
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh, false);
  EXPECT_EQ(triangles.flips.edges, 0);
  EXPECT_TRUE(std::ranges::equal(triangles.corners.values(), mesh.triangles().values()));
  EXPECT_NEAR(triangles.lengths[0], 6.0, 1e-14);
  EXPECT_NEAR(triangles.mean_length, (4 * std::sqrt(10.0) + 6.0) / 5.0, 1e-14);
  const BiharmonicOperator a = cotangent_operator(world(), mesh, CotangentArcs::connecting, false);
  EXPECT_NEAR(a.weight(0), -4.0 / 3.0, 1e-13);  // of the vertices 0 and 1: both angles have the cosine -4 / 5
}

// Folded along its long diagonal the kite has the same lengths along the surface, so the same triangulation.
TEST(IntrinsicDelaunay, MeasuresAlongTheSurface) {
  const WrittenFiles files;
  const TriangleMesh mesh = mesh_of(files, "v -3 0 0\nv 3 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\n");
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  EXPECT_EQ(triangles.flips.flipped, 1);
  EXPECT_NEAR(triangles.lengths[1], 2.0, 1e-14);
}

TEST(IntrinsicDelaunay, LeavesWhatIsDelaunayAsItIs) {
  for (const MeshSource& source :
       {MeshSource{.generator = "sphere", .points = 642}, {.generator = "swiss-roll", .points = 500}}) {
    const TriangleMesh mesh = read_mesh(world(), source);
    const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
    EXPECT_EQ(triangles.flips.flipped, 0) << source.generator;
    EXPECT_TRUE(std::ranges::equal(triangles.corners.values(), mesh.triangles().values()));
  }
}

// A helix of tetrahedra pulled long: at its height each vertex is alone, so that edges lead around it to itself.
TEST(IntrinsicDelaunay, LeadsEdgesAroundAThinTube) {
  const WrittenFiles files;
  constexpr int vertices = 30;
  std::string text;
  for (int k = 0; k < vertices; ++k)
    text += fmt::format("v {:.17g} {:.17g} {}\n", std::cos(2.3 * k), std::sin(2.3 * k), 20 * k);
  for (int k = 1; k + 3 <= vertices; ++k)
    text += fmt::format("f {} {} {}\nf {} {} {}\n", k, k + 1, k + 3, k, k + 2, k + 3);
  text += fmt::format("f 1 2 3\nf {} {} {}\n", vertices - 2, vertices - 1, vertices);
  const TriangleMesh mesh = mesh_of(files, text);
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  EXPECT_GT(triangles.flips.flipped, 0);
  Index loops = 0;
  for (Index side = 0; side < triangles.corners.size(); ++side) {
    loops += triangles.corners[side] == triangles.corners[side % 3 == 2 ? side - 2 : side + 1] ? 1 : 0;
  }
  EXPECT_GT(loops, 0);
  expect_same_surface(mesh, triangles, 1e-9);
  expect_no_negative_weights(mesh, 1e-9);
}

TEST(IntrinsicDelaunay, LeavesNoNegativeWeightOnStretchedSpheres) {
  const WrittenFiles files;
  for (const double factor : {10.0, 100.0}) {
    const TriangleMesh mesh = stretched_sphere(files, 642, factor);
    const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
    EXPECT_GT(triangles.flips.flipped, 900);
    EXPECT_EQ(triangles.flips.edges, 1920);
    expect_same_surface(mesh, triangles, 1e-8);
    expect_no_negative_weights(mesh, 1e-9);
  }
}

TEST(IntrinsicDelaunay, LeavesNoNegativeWeightOnTheBrain) {
  const TriangleMesh mesh = read_mesh(world(), {.path = std::string(CAIRN_TEST_DATA) + "/brain-7502.obj.xz"});
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  expect_same_surface(mesh, triangles, 1e-8);
  expect_no_negative_weights(mesh, 1e-9);
}

// A Moebius strip has no orientation at all: its triangles are turned against each other somewhere.
TEST(IntrinsicDelaunay, TakesSurfacesWithoutOrientation) {
  const WrittenFiles files;
  constexpr int around = 40, across = 6;
  std::string text;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = 2 * std::numbers::pi * i / around, v = 0.2 * (j - 0.5 * (across - 1));
      const double r = 1 + v * std::cos(u / 2);
      text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", 12 * r * std::cos(u), r * std::sin(u), v * std::sin(u / 2));
    }
  }
  const auto number = [](int i, int j) { return i < around ? i * across + j + 1 : across - j; };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j + 1 < across; ++j) {
      text += fmt::format("f {} {} {}\nf {} {} {}\n", number(i, j), number(i + 1, j), number(i, j + 1),
                          number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
    }
  }
  const TriangleMesh mesh = mesh_of(files, text);
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  EXPECT_GT(triangles.flips.flipped, 50);
  expect_same_surface(mesh, triangles, 1e-9);
  EXPECT_EQ(mesh.report().boundary_edges, 2 * around);
}

// A triangle of nearly no height: its angles come from lengths that are a little longer, and stay finite.
TEST(IntrinsicDelaunay, GrowsTrianglesThatAreTooFlatForTheirLengths) {
  const WrittenFiles files;
  const TriangleMesh mesh = mesh_of(files, "v 0 0 0\nv 2 0 0\nv 1 1e-11 0\nv 1 -1 0\nf 1 2 3\nf 2 1 4\n");
  ASSERT_EQ(mesh.report().degenerate_triangles, 0);
  const IntrinsicTriangulation triangles = intrinsic_delaunay(world(), mesh);
  EXPECT_EQ(triangles.flips.flipped, 1);
  const BiharmonicOperator a = cotangent_operator(world(), triangles);
  for (Index v = 0; v < 4; ++v) {
    EXPECT_TRUE(std::isfinite(a.degrees[v]));
    EXPECT_TRUE(std::isfinite(a.inverse_mass[v]));
  }
  for (const double length : triangles.lengths.values()) EXPECT_LT(length, 1.5);
}

TEST(IntrinsicDelaunay, RefusesTrianglesWithoutArea) {
  const WrittenFiles files;
  const TriangleMesh mesh = mesh_of(files, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n");
  expect_error([&] { (void)intrinsic_delaunay(world(), mesh); }, ErrorKind::input,
               {"1 triangles of the mesh have no area", "parameter drop-degenerate"});
}

}  // namespace
}  // namespace cairn::test::intrinsic_triangulation_test
