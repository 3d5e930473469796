#include "cairn/operator/intrinsic_triangulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/operator/triangle_shape.hpp"

namespace cairn {

namespace {

// Flips edges of a triangulation until it is Delaunay, on one rank.

// A side of a triangle. Side k of triangle t has number 3 t + k and runs from corner k to corner (k + 1) % 3.
struct TriangleSide {
  double length = 0.0;
  Index mate = -1;       ///< the number of the other side of the edge; -1: the edge is on the boundary
  bool turned = false;   ///< both sides of the edge run in the same direction: the triangles are oriented differently
  bool flipped = false;  ///< the edge is the result of a flip
};

// A triangulation whose sides are glued in pairs. Corners only identify vertices: they may repeat within a triangle.
struct GluedTriangles {
  std::vector<std::int32_t> corners;  ///< 3 for each triangle
  std::vector<TriangleSide> sides;    ///< 3 for each triangle

  [[nodiscard]] std::array<double, 3> lengths(Index triangle) const;
};

// Tolerance for the sum of two cotangents: the diagonals of squares have sum 0 up to rounding, and stay.
constexpr double rounding = 1e-10;

Index next(Index side) { return side % 3 == 2 ? side - 2 : side + 1; }
Index previous(Index side) { return side % 3 == 0 ? side + 2 : side - 1; }

double cotangent_facing(const GluedTriangles& triangles, Index side) {
  const std::array<double, 3> lengths = triangles.lengths(side / 3);
  return facing_cotangent(lengths, side % 3, area_of(lengths));
}

// The sum of the three cotangents. Its total over two triangles is least if their edge is Delaunay.
double sum_of_cotangents(const std::array<double, 3>& lengths) {
  const double area = area_of(lengths);
  if (!(area > 0.0)) return std::numeric_limits<double>::infinity();
  return (lengths[0] * lengths[0] + lengths[1] * lengths[1] + lengths[2] * lengths[2]) / (4.0 * area);
}

// The four sides around an edge i j between the triangles i j p and j i q.
struct Quad {
  Index first = 0, second = 0;              // triangles
  std::int32_t i = 0, j = 0, p = 0, q = 0;  // vertices
  std::array<Index, 4> sides{};             // i q, p i, j p, q j
  std::array<bool, 4> turned{};             // the side runs in the other direction
  double length = 0.0, diagonal = 0.0;      // of i j and p q
  std::array<TriangleSide, 4> values{};     // of `sides`
};

Quad quad_at(const GluedTriangles& triangles, Index side) {
  const TriangleSide& edge = triangles.sides[side];
  const auto corner = [&](Index s) { return triangles.corners[s]; };
  Quad quad;
  quad.first = side / 3;
  quad.second = edge.mate / 3;
  quad.i = corner(side);
  quad.j = corner(next(side));
  quad.p = corner(previous(side));
  quad.q = corner(previous(edge.mate));
  const Index after = next(edge.mate), before = previous(edge.mate);
  quad.sides = {edge.turned ? before : after, previous(side), next(side), edge.turned ? after : before};
  quad.turned = {edge.turned, false, false, edge.turned};
  for (std::size_t k = 0; k < 4; ++k) quad.values[k] = triangles.sides[quad.sides[k]];
  quad.length = edge.length;
  return quad;
}

// The distance between the corners p and q of two triangles on both sides of an edge, unfolded into the plane.
double diagonal_of(const Quad& quad) {
  const double a = quad.length, iq = quad.values[0].length, pi = quad.values[1].length, jp = quad.values[2].length,
               qj = quad.values[3].length;
  const double along = ((pi - jp) * (pi + jp) - (iq - qj) * (iq + qj)) / (2.0 * a);
  const double across = 2.0 * (area_of({a, jp, pi}) + area_of({a, qj, iq})) / a;
  return std::hypot(along, across);
}

// True if the other diagonal is better despite rounding, which could make two flat triangles flip forever.
bool is_better(const Quad& quad) {
  const double iq = quad.values[0].length, pi = quad.values[1].length, jp = quad.values[2].length,
               qj = quad.values[3].length;
  const double before = sum_of_cotangents({quad.length, jp, pi}) + sum_of_cotangents({quad.length, iq, qj});
  return sum_of_cotangents({iq, quad.diagonal, pi}) + sum_of_cotangents({jp, quad.diagonal, qj}) < before;
}

// Replaces the triangles i j p and j i q by i q p and j p q.
void flip(GluedTriangles& triangles, const Quad& quad) {
  const Index first = 3 * quad.first, second = 3 * quad.second;
  const std::array<std::int32_t, 3> one{quad.i, quad.q, quad.p}, other{quad.j, quad.p, quad.q};
  std::copy(one.begin(), one.end(), triangles.corners.begin() + first);
  std::copy(other.begin(), other.end(), triangles.corners.begin() + second);
  triangles.sides[first + 1] = {quad.diagonal, second + 1, false, true};
  triangles.sides[second + 1] = {quad.diagonal, first + 1, false, true};
  const std::array<Index, 4> places{first, first + 2, second, second + 2};
  for (std::size_t k = 0; k < 4; ++k) {
    TriangleSide side = quad.values[k];
    const auto own = std::find(quad.sides.begin(), quad.sides.end(), side.mate);
    if (own != quad.sides.end()) {  // two of the four sides are glued to each other
      const auto m = static_cast<std::size_t>(own - quad.sides.begin());
      side.mate = places[m];
      side.turned = side.turned != (quad.turned[k] != quad.turned[m]);
    } else if (side.mate >= 0) {
      side.turned = side.turned != quad.turned[k];
      triangles.sides[side.mate].mate = places[k];
      triangles.sides[side.mate].turned = side.turned;
    }
    triangles.sides[places[k]] = side;
  }
}

std::array<double, 3> GluedTriangles::lengths(Index triangle) const {
  const TriangleSide* first = sides.data() + 3 * triangle;
  return {first[0].length, first[1].length, first[2].length};
}

// Glues the sides that have the same two vertices. @pre at most two sides have them, no triangle has a vertex twice
// @param lengths  of sides, by their numbers
GluedTriangles glue(std::vector<std::int32_t> corners, const std::vector<double>& lengths) {
  struct Named {
    std::int32_t low, high;
    Index side;
    auto operator<=>(const Named&) const = default;
  };
  std::vector<Named> named;
  named.reserve(corners.size());
  GluedTriangles result{std::move(corners), std::vector<TriangleSide>(lengths.size())};
  for (Index side = 0; side < static_cast<Index>(lengths.size()); ++side) {
    const auto [low, high] = std::minmax(result.corners[side], result.corners[next(side)]);
    named.push_back({low, high, side});
    result.sides[side].length = lengths[side];
  }
  std::sort(named.begin(), named.end());
  for (std::size_t k = 1; k < named.size(); ++k) {
    const Index side = named[k - 1].side, mate = named[k].side;
    if (named[k - 1].low != named[k].low || named[k - 1].high != named[k].high) continue;
    result.sides[side].mate = mate;
    result.sides[mate].mate = side;
    const bool turned = result.corners[side] == result.corners[mate];
    result.sides[side].turned = result.sides[mate].turned = turned;
  }
  return result;
}

// Flips edges that are not Delaunay until there are none. Local.
void flip_to_delaunay(GluedTriangles& triangles) {
  const auto count = static_cast<Index>(triangles.sides.size());
  std::vector<Index> waiting;
  std::vector<bool> waits(count, true);
  for (Index side = count - 1; side >= 0; --side) waiting.push_back(side);
  while (!waiting.empty()) {
    const Index side = waiting.back();
    waiting.pop_back();
    waits[side] = false;
    const Index mate = triangles.sides[side].mate;
    if (mate < 0 || mate / 3 == side / 3) continue;
    if (cotangent_facing(triangles, side) + cotangent_facing(triangles, mate) >= -rounding) continue;
    Quad quad = quad_at(triangles, side);
    quad.diagonal = diagonal_of(quad);
    if (!is_better(quad)) continue;
    flip(triangles, quad);
    for (const Index changed : {3 * quad.first, 3 * quad.first + 2, 3 * quad.second, 3 * quad.second + 2}) {
      if (waits[changed]) continue;
      waits[changed] = true;
      waiting.push_back(changed);
    }
  }
}

// Relative to the mean edge length. Heron's formula then keeps seven digits of an area; lengths change in the ninth.
constexpr double least_excess = 1e-9;

std::vector<double> side_lengths(const TriangleMesh& mesh) {
  std::vector<double> lengths;
  lengths.reserve(3 * mesh.triangle_count());
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t* corners = mesh.triangle(t);
    for (int k = 0; k < 3; ++k) {
      const double *p = mesh.vertex(corners[k]), *q = mesh.vertex(corners[(k + 1) % 3]);
      lengths.push_back(std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
  }
  return lengths;
}

// Makes the sum of the two shorter sides of every triangle slightly exceed the longest side.
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

// Data for the ranks that computed no triangles, from the one that did.
struct Summary {
  Index edges = 0, flipped = 0;
  double length = 0.0;  // of all edges
};

Summary summarize(const GluedTriangles& triangles) {
  Summary summary;
  for (Index side = 0; side < static_cast<Index>(triangles.sides.size()); ++side) {
    const TriangleSide& value = triangles.sides[side];
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
