#include "cairn/operator/edge_flips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/operator/triangle_shape.hpp"

namespace cairn {

namespace {

// Of the sum of two cotangents: the diagonals of squares have 0 but for rounding, and stay.
constexpr double rounding = 1e-10;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
Index next(Index side) { return side % 3 == 2 ? side - 2 : side + 1; }
Index previous(Index side) { return side % 3 == 0 ? side + 2 : side - 1; }

double cotangent_facing(const GluedTriangles& triangles, Index side) {
  const std::array<double, 3> lengths = triangles.lengths(side / 3);
  return facing_cotangent(lengths, at(side % 3), area_of(lengths));
}

// The sum of the three cotangents, which is the least over two triangles where their edge is Delaunay.
double sum_of_cotangents(const std::array<double, 3>& lengths) {
  const double area = area_of(lengths);
  if (!(area > 0.0)) return std::numeric_limits<double>::infinity();
  return (lengths[0] * lengths[0] + lengths[1] * lengths[1] + lengths[2] * lengths[2]) / (4.0 * area);
}

// The four sides about an edge i j between the triangles i j p and j i q.
struct Quad {
  Index first = 0, second = 0;              // triangles
  std::int32_t i = 0, j = 0, p = 0, q = 0;  // vertices
  std::array<Index, 4> sides{};             // i q, p i, j p, q j
  std::array<bool, 4> turned{};             // the side leads the other way
  double length = 0.0, diagonal = 0.0;      // of i j and p q
  std::array<TriangleSide, 4> values{};     // of `sides`
};

Quad quad_at(const GluedTriangles& triangles, Index side) {
  const TriangleSide& edge = triangles.sides[at(side)];
  const auto corner = [&](Index s) { return triangles.corners[at(s)]; };
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
  for (std::size_t k = 0; k < 4; ++k) quad.values[k] = triangles.sides[at(quad.sides[k])];
  quad.length = edge.length;
  return quad;
}

// The distance of the corners p and q of two triangles on both sides of an edge, laid into the plane.
double diagonal_of(const Quad& quad) {
  const double a = quad.length, iq = quad.values[0].length, pi = quad.values[1].length, jp = quad.values[2].length,
               qj = quad.values[3].length;
  const double along = ((pi - jp) * (pi + jp) - (iq - qj) * (iq + qj)) / (2.0 * a);
  const double across = 2.0 * (area_of({a, jp, pi}) + area_of({a, qj, iq})) / a;
  return std::hypot(along, across);
}

// Whether the other diagonal is really better: rounding could make two flat triangles flip for ever.
bool is_better(const Quad& quad) {
  const double iq = quad.values[0].length, pi = quad.values[1].length, jp = quad.values[2].length,
               qj = quad.values[3].length;
  const double before = sum_of_cotangents({quad.length, jp, pi}) + sum_of_cotangents({quad.length, iq, qj});
  return sum_of_cotangents({iq, quad.diagonal, pi}) + sum_of_cotangents({jp, quad.diagonal, qj}) < before;
}

// Puts the triangles i q p and j p q where i j p and j i q were.
void flip(GluedTriangles& triangles, const Quad& quad) {
  const Index first = 3 * quad.first, second = 3 * quad.second;
  const std::array<std::int32_t, 3> one{quad.i, quad.q, quad.p}, other{quad.j, quad.p, quad.q};
  std::copy(one.begin(), one.end(), triangles.corners.begin() + first);
  std::copy(other.begin(), other.end(), triangles.corners.begin() + second);
  triangles.sides[at(first + 1)] = {quad.diagonal, second + 1, false, true};
  triangles.sides[at(second + 1)] = {quad.diagonal, first + 1, false, true};
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
      triangles.sides[at(side.mate)].mate = places[k];
      triangles.sides[at(side.mate)].turned = side.turned;
    }
    triangles.sides[at(places[k])] = side;
  }
}

}  // namespace

std::array<double, 3> GluedTriangles::lengths(Index triangle) const {
  const TriangleSide* first = sides.data() + 3 * triangle;
  return {first[0].length, first[1].length, first[2].length};
}

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
    const auto [low, high] = std::minmax(result.corners[at(side)], result.corners[at(next(side))]);
    named.push_back({low, high, side});
    result.sides[at(side)].length = lengths[at(side)];
  }
  std::sort(named.begin(), named.end());
  for (std::size_t k = 1; k < named.size(); ++k) {
    const Index side = named[k - 1].side, mate = named[k].side;
    if (named[k - 1].low != named[k].low || named[k - 1].high != named[k].high) continue;
    result.sides[at(side)].mate = mate;
    result.sides[at(mate)].mate = side;
    const bool turned = result.corners[at(side)] == result.corners[at(mate)];
    result.sides[at(side)].turned = result.sides[at(mate)].turned = turned;
  }
  return result;
}

void flip_to_delaunay(GluedTriangles& triangles) {
  const auto count = static_cast<Index>(triangles.sides.size());
  std::vector<Index> waiting;
  std::vector<bool> waits(at(count), true);
  for (Index side = count - 1; side >= 0; --side) waiting.push_back(side);
  while (!waiting.empty()) {
    const Index side = waiting.back();
    waiting.pop_back();
    waits[at(side)] = false;
    const Index mate = triangles.sides[at(side)].mate;
    if (mate < 0 || mate / 3 == side / 3) continue;
    if (cotangent_facing(triangles, side) + cotangent_facing(triangles, mate) >= -rounding) continue;
    Quad quad = quad_at(triangles, side);
    quad.diagonal = diagonal_of(quad);
    if (!is_better(quad)) continue;
    flip(triangles, quad);
    for (const Index changed : {3 * quad.first, 3 * quad.first + 2, 3 * quad.second, 3 * quad.second + 2}) {
      if (waits[at(changed)]) continue;
      waits[at(changed)] = true;
      waiting.push_back(changed);
    }
  }
}

}  // namespace cairn
