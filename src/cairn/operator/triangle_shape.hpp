// A triangle given by the lengths of its sides.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cairn {

/// The area by Heron's formula, in an order of operations that keeps it accurate for triangles with a short side
/// [Kahan 2014, Miscalculating area and angles of a needle-like triangle]; 0 if the lengths make no triangle.
inline double area_of(const std::array<double, 3>& lengths) {
  auto [c, b, a] = lengths;
  if (a < b) std::swap(a, b);
  if (b < c) std::swap(b, c);
  if (a < b) std::swap(a, b);
  return 0.25 * std::sqrt(std::max(0.0, (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))));
}

/// The cotangent of the angle opposite side k.
inline double facing_cotangent(const std::array<double, 3>& lengths, std::size_t k, double area) {
  const double a = lengths[k], b = lengths[(k + 1) % 3], c = lengths[(k + 2) % 3];
  // b² + c² - a², with differences taken first: they are exact if sides have nearly the same length.
  const double sum = c >= b ? (c - a) * (c + a) + b * b : (b - a) * (b + a) + c * c;
  return sum / (4.0 * area);
}

}  // namespace cairn
