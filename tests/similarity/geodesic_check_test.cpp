// What the check of geodesics says of distances that are made up.
#include "cairn/similarity/geodesic/geodesic_check.hpp"

#include <cmath>

#include "../data/written_files.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"

namespace cairn::test::geodesic_check_test {
namespace {

// A plane of squares of side 1, two triangles each.
std::string plane_text(Index side) {
  std::string text;
  for (Index i = 0; i < side * side; ++i)
    text += "v " + std::to_string(i % side) + " " + std::to_string(i / side) + " 0\n";
  for (Index i = 1; i < side * (side - 1); ++i) {
    if (i % side == 0) continue;
    for (const auto& [p, q, r] : {std::tuple{i, i + 1, i + side}, {i + 1, i + side + 1, i + side}})
      text += "f " + std::to_string(p) + " " + std::to_string(q) + " " + std::to_string(r) + "\n";
  }
  return text;
}

// The check of distances value(i, j, their straight line).
template <class Value>
GeodesicCheck check_of(const TriangleMesh& mesh, Value value) {
  constexpr Index batch = 3;
  return check_geodesics(world(), mesh, 1.0, batch,
                         [&](std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out) {
                           EXPECT_LE(sources.size(), batch);
                           for (Index a = 0; a < out.rows; ++a) {
                             for (Index b = 0; b < out.columns; ++b) {
                               const Index i = sources[a], j = targets.targets[b];
                               const double *p = mesh.vertex(i), *q = mesh.vertex(j);
                               out(a, b) = value(i, j, std::hypot(p[0] - q[0], p[1] - q[1]));
                             }
                           }
                         });
}

class PlaneCheck : public testing::Test {
 protected:
  WrittenFiles files_;
  TriangleMesh mesh_ = read_mesh(world(), {.path = files_.write("m.obj", plane_text(30))});
};

TEST_F(PlaneCheck, FindsNothingInDistances) {
  const GeodesicCheck check = check_of(mesh_, [](Index, Index, double line) { return line; });
  EXPECT_EQ(check.sources, 32);
  EXPECT_EQ(check.worst(), 0.0);
  const GeodesicCheck rough =
      check_of(mesh_, [](Index i, Index j, double line) { return i == j ? 0.0 : (i < j ? 0.95 : 1.0) * line - 0.49; });
  EXPECT_EQ(rough.below_line, 0.0);
  EXPECT_EQ(rough.above_edges, 0.0);
  EXPECT_EQ(rough.asymmetric, 0.0);
}

TEST_F(PlaneCheck, CountsWhatIsNegativeOrTooShort) {
  const GeodesicCheck negative = check_of(mesh_, [](Index, Index j, double) { return j % 2 == 0 ? -1e-3 : 100.0; });
  EXPECT_NEAR(negative.negative, 0.5, 0.01);
  const GeodesicCheck shorter = check_of(mesh_, [](Index, Index, double line) { return 0.7 * line; });
  EXPECT_EQ(shorter.negative, 0.0);
  EXPECT_GT(shorter.below_line, 0.95);  // all but the nearest, for which half an edge is allowed
  EXPECT_LT(shorter.below_line, 1.0);
  EXPECT_EQ(shorter.worst(), shorter.below_line);
}

// The edges lead along the axes and one diagonal: nowhere is the way along them longer than the line by more than a
// factor of the root of 2.
TEST_F(PlaneCheck, CountsWhatIsLongerThanTheWayAlongEdges) {
  const GeodesicCheck longer = check_of(mesh_, [](Index, Index, double line) { return 1.6 * line + 1.0; });
  EXPECT_EQ(longer.above_edges, 1.0);
  const GeodesicCheck manhattan = check_of(mesh_, [&](Index i, Index j, double) {
    const double *p = mesh_.vertex(i), *q = mesh_.vertex(j);
    return std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]);
  });
  EXPECT_GT(manhattan.above_edges, 0.2);  // where the diagonal is shorter
  EXPECT_LT(manhattan.above_edges, 0.8);
}

TEST_F(PlaneCheck, TakesWhatIsNoNumberForWrong) {
  const GeodesicCheck check = check_of(mesh_, [](Index, Index, double) { return std::nan(""); });
  EXPECT_EQ(check.negative, 1.0);
  EXPECT_EQ(check.below_line, 1.0);
  EXPECT_EQ(check.above_edges, 1.0);
  EXPECT_EQ(check.asymmetric, 1.0);
}

TEST_F(PlaneCheck, CountsPairsThatDifferByDirection) {
  const GeodesicCheck check =
      check_of(mesh_, [](Index i, Index j, double line) { return (i < j ? 1.0 : 1.3) * line + (i < j ? 0.0 : 1.0); });
  EXPECT_EQ(check.asymmetric, 1.0);
}

TEST(GeodesicCheck, TakesTheLargestComponent) {
  const WrittenFiles files;
  std::string text = plane_text(4) + "v 9 9 9\nv 10 9 9\nv 9 10 9\nf 17 18 19\n";
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", text)});
  const GeodesicCheck check = check_of(mesh, [](Index i, Index j, double line) {
    EXPECT_LT(std::max(i, j), 16);
    return line;
  });
  EXPECT_EQ(check.sources, 16);
  EXPECT_EQ(check.worst(), 0.0);
}

// Steps of time that are far too long level a sphere that is long and thin.
TEST(GeodesicCheck, RefusesDistancesThatAreUseless) {
  const WrittenFiles files;
  std::string text;
  const TriangleMesh sphere = read_mesh(world(), {.generator = "sphere", .points = 642});
  for (Index v = 0; v < sphere.size(); ++v) {
    const double* p = sphere.vertex(v);
    text += "v " + std::to_string(10 * p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  }
  for (Index t = 0; t < sphere.triangle_count(); ++t) {
    const std::int32_t* f = sphere.triangle(t);
    text += "f " + std::to_string(f[0] + 1) + " " + std::to_string(f[1] + 1) + " " + std::to_string(f[2] + 1) + "\n";
  }
  const TriangleMesh mesh = read_mesh(world(), {.path = files.write("m.obj", text)});
  EXPECT_LT(make_geodesic(world(), mesh, {})->check().worst(), GeodesicCheck::warned_share);
  const double long_step = make_geodesic(world(), mesh, {.time_factor = 16})->check().worst();
  EXPECT_GT(long_step, GeodesicCheck::warned_share);
  EXPECT_LT(long_step, GeodesicCheck::refused_share);
  expect_error([&] { (void)make_geodesic(world(), mesh, {.time_factor = 10000}); }, ErrorKind::numeric,
               {"the heat method fails on this mesh", "differ by direction", "parameter time-factor (now 10000)"});
}

}  // namespace
}  // namespace cairn::test::geodesic_check_test
