// The step between the two solves of the heat method. Private to this folder.
#pragma once

#include <cstdint>

#include "cairn/base/index.hpp"

namespace cairn {

/// A triangle in the plane: corner 0 at the origin, corner 1 at (a, 0), corner 2 at (b, c).
struct FlatTriangle {
  std::int32_t corners[3];
  double a, b, c;
};

/// Adds to `divergence` the integral of grad(hat_v) . X over the triangles at each vertex v, where X = -grad(heat) /
/// |grad(heat)|, or 0 if the heat is constant. Both are row-major, one row of SupernodalFactor::width values per
/// vertex, aligned to 64 bytes. Local.
void add_divergence(const FlatTriangle* triangles, Index count, const double* heat, double* divergence);

}  // namespace cairn
