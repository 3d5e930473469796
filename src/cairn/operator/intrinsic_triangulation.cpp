#include "cairn/operator/intrinsic_triangulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/edge_flips.hpp"

namespace cairn {

namespace {

// In mean edge lengths. Heron's formula then keeps seven digits of an area; lengths change in the ninth.
constexpr double least_excess = 1e-9;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::vector<double> side_lengths(const TriangleMesh& mesh) {
  std::vector<double> lengths;
  lengths.reserve(at(3 * mesh.triangle_count()));
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t* corners = mesh.triangle(t);
    for (int k = 0; k < 3; ++k) {
      const double *p = mesh.vertex(corners[k]), *q = mesh.vertex(corners[(k + 1) % 3]);
      lengths.push_back(std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
  }
  return lengths;
}

// Makes the two shorter sides of every triangle exceed the longest one by a little.
void grow_flat_triangles(std::vector<double>& lengths) {
  double excess = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < lengths.size(); t += 3) {
    const double a = lengths[t], b = lengths[t + 1], c = lengths[t + 2];
    excess = std::min({excess, a + b - c, b + c - a, c + a - b});
  }
  const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / static_cast<double>(lengths.size());
  const double missing = least_excess * mean - excess;
  if (!(missing > 0.0)) return;
  for (double& length : lengths) length += missing;
}

GluedTriangles glued_triangles(const TriangleMesh& mesh, bool flip) {
  std::vector<double> lengths = side_lengths(mesh);
  grow_flat_triangles(lengths);
  const auto corners = mesh.triangles().values();
  GluedTriangles triangles = glue({corners.begin(), corners.end()}, lengths);
  if (flip) flip_to_delaunay(triangles);
  return triangles;
}

// What ranks that made no triangles learn from the one that did.
struct Summary {
  Index edges = 0, flipped = 0;
  double length = 0.0;  // of all edges
};

Summary summarize(const GluedTriangles& triangles) {
  Summary summary;
  for (Index side = 0; side < static_cast<Index>(triangles.sides.size()); ++side) {
    const TriangleSide& value = triangles.sides[at(side)];
    if (value.mate > side) continue;  // the other side counts
    ++summary.edges;
    summary.flipped += value.flipped ? 1 : 0;
    summary.length += value.length;
  }
  return summary;
}

void require_areas(const TriangleMesh& mesh) {
  if (mesh.report().degenerate_triangles == 0 || mesh.report().degenerate_dropped) return;
  throw Error(ErrorKind::input,
              fmt::format("{} triangles of the mesh have no area, so that their angles have no cotangents; "
                          "{} = true leaves them out",
                          mesh.report().degenerate_triangles, mesh.report().keys("drop-degenerate")));
}

}  // namespace

IntrinsicTriangulation intrinsic_delaunay(const Communicator& communicator, const TriangleMesh& mesh, bool flip) {
  require_areas(mesh);
  IntrinsicTriangulation result;
  result.vertices = mesh.size();
  result.corners = NodeArray<std::int32_t>(communicator, 3 * mesh.triangle_count());
  result.lengths = NodeArray<double>(communicator, 3 * mesh.triangle_count());
  Summary summary;
  const bool writes = result.corners.node().is_root();
  collectively(communicator, [&] {
    if (!writes) return;
    const GluedTriangles triangles = glued_triangles(mesh, flip);
    summary = summarize(triangles);
    std::ranges::copy(triangles.corners, result.corners.writable().begin());
    std::ranges::transform(triangles.sides, result.lengths.writable().begin(), &TriangleSide::length);
  });
  result.corners.node().broadcast(std::span(&summary, 1), 0);
  result.corners.publish();
  result.lengths.publish();
  if (flip) result.flips = {summary.edges, summary.flipped};
  result.mean_length = summary.length / static_cast<double>(summary.edges);
  return result;
}

}  // namespace cairn
