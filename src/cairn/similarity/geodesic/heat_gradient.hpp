// The step between the two solves of the heat method. Private to this folder.
#pragma once

#include <cstdint>

#include "cairn/base/index.hpp"

namespace cairn {

/// A triangle laid into the plane: corner 0 at the origin, corner 1 at (a, 0), corner 2 at (b, c).
struct FlatTriangle {
  std::int32_t corners[3];
  double a, b, c;
};

/// Adds to `divergence` the integral of grad(hat_v) . X over the triangles at each vertex v, X = -grad(heat) /
/// |grad(heat)|, 0 if the heat is flat. Both are row-major, a vertex a row of SupernodalFactor::width values,
/// aligned to 64 bytes. Local.
void add_divergence(const FlatTriangle* triangles, Index count, const double* heat, double* divergence);

}  // namespace cairn
