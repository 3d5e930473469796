#include "cairn/similarity/geodesic/heat_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/similarity/geodesic/supernodal_factor.hpp"

// One function for each level of the processor family, chosen when the program is loaded. Sanitizers run before that.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CAIRN_SANITIZED)
#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAIRN_EACH_LEVEL
#endif

namespace cairn {

namespace {

constexpr Index width = SupernodalFactor::width;
constexpr double tiny = 1e-300;

// With hat functions h1 = x / a - b y / (a c) and h2 = y / c, 2 * area = a c: grad u is (c d1, a d2 - b d1) / (a c),
// d_k = u_k - u_0. Only its direction counts, so the largest component is scaled to 1 before squares are taken.
CAIRN_EACH_LEVEL void add_triangle(const FlatTriangle& t, const double* u0, const double* u1, const double* u2,
                                   double* sum0, double* sum1, double* sum2) {
  const double a = t.a, b = t.b, c = t.c;
#pragma omp simd
  for (Index k = 0; k < width; ++k) {
    const double d1 = u1[k] - u0[k], d2 = u2[k] - u0[k];
    const double gx = c * d1, gy = a * d2 - b * d1;
    const double ax = gx < 0.0 ? -gx : gx, ay = gy < 0.0 ? -gy : gy;
    const double largest = ax > ay ? ax : ay;
    const double scale = largest > tiny ? -1.0 / largest : 0.0;
    const double sx = gx * scale, sy = gy * scale;
    const double length = std::sqrt(sx * sx + sy * sy);
    const double half = 0.5 / (length > 0.0 ? length : 1.0);
    const double x = sx * half, y = sy * half;
    const double s1 = c * x - b * y, s2 = a * y;
    sum1[k] += s1;
    sum2[k] += s2;
    sum0[k] -= s1 + s2;
  }
}

}  // namespace

void add_divergence(const FlatTriangle* triangles, Index count, const double* heat, double* divergence) {
  for (const FlatTriangle* t = triangles; t != triangles + count; ++t) {
    const Index i = t->corners[0] * width, j = t->corners[1] * width, k = t->corners[2] * width;
    add_triangle(*t, heat + i, heat + j, heat + k, divergence + i, divergence + j, divergence + k);
  }
}

}  // namespace cairn
