#include "cairn/approximation/random_features/tree_moments.hpp"

#include <algorithm>
#include <utility>

#include "cairn/approximation/random_features/degrees/tree_sketch.hpp"

namespace cairn {

TreeMoments::TreeMoments(Index degree, std::vector<Index> columns)
    : order_(static_cast<std::size_t>(degree) + 1), columns_(std::move(columns)), of_(order_) {}

// t = 1 / m
TreeMoments::Moments TreeMoments::joined(const Moments& x, const Moments& y, double t, double k) {
  const double cx = x.a - x.q, dx = x.b - x.q, cy = y.a - y.q, dy = y.b - y.q;
  const double cross = dx * cy + cx * dy, same = cx * cy;
  return {
      x.a * y.a + t * (dx * y.a + x.a * dy + cx * y.a + x.a * cy + dx * dy + same) + t * t * k * cross,
      x.b * y.b + 2 * t * (cx * y.b + x.b * cy + same) + 2 * t * t * k * same,
      x.q * y.q + t * (x.q * (dy + 2 * cy) + y.q * (dx + 2 * cx) + dx * dy + 2 * same) + 2 * t * t * (cross + same)};
}

void TreeMoments::add(double weight, double product, double norms, double squares, std::span<double> sums) {
  const double c = product - squares, d = norms - squares;
  double* sum = sums.data();
  for (const Index m : columns_) {
    const double t = 1 / static_cast<double>(m), k = m % 2 == 0 ? 2.0 : 1.0;
    of_[1] = {product, norms, squares};
    sum[1] += weight * t * (d + c);
    double power = product;
    for (std::size_t p = 2; p < order_; ++p) {
      const auto left = static_cast<std::size_t>(left_leaves(static_cast<Index>(p)));
      of_[p] = joined(of_[left], of_[p - left], t, k);
      power *= product;
      sum[p] += weight * std::max(0.0, of_[p].a - power);
    }
    sum += order_;
  }
}

}  // namespace cairn
