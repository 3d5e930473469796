// Flipping the edges of a triangulation until it is Delaunay, on one rank. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A side of a triangle. Side k of triangle t has the number 3 t + k and leads from corner k to corner (k + 1) % 3.
struct TriangleSide {
  double length = 0.0;
  Index mate = -1;       ///< the number of the other side of the edge; -1: the edge is on the boundary
  bool turned = false;   ///< both sides of the edge lead the same way: the triangles are oriented differently
  bool flipped = false;  ///< the edge came by a flip
};

/// A triangulation whose sides are glued in pairs. Corners only name vertices: they may repeat within a triangle.
struct GluedTriangles {
  std::vector<std::int32_t> corners;  ///< 3 for each triangle
  std::vector<TriangleSide> sides;    ///< 3 for each triangle

  [[nodiscard]] std::array<double, 3> lengths(Index triangle) const;
};

/// Glues the sides that have the same two vertices. @pre at most two sides have them, no triangle has a vertex twice
/// @param lengths of sides, by their numbers
[[nodiscard]] GluedTriangles glue(std::vector<std::int32_t> corners, const std::vector<double>& lengths);

/// Flips edges that are not Delaunay until there are none. Local.
void flip_to_delaunay(GluedTriangles& triangles);

}  // namespace cairn
