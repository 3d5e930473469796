#include "cairn/landmark/pivot_block.hpp"

#include <cmath>

namespace cairn {

PivotBlock take_pivots(std::span<double> residual, std::span<const double> uniform, std::span<const double> floor,
                       Index most) {
  const std::size_t b = uniform.size();
  std::vector<double> proposed(b);
  for (std::size_t a = 0; a < b; ++a) proposed[a] = residual[a * b + a];
  PivotBlock block;
  for (std::size_t a = 0; a < b && static_cast<Index>(block.taken.size()) < most; ++a) {
    const double left = residual[a * b + a];
    if (left <= floor[a] || uniform[a] * proposed[a] >= left) continue;
    block.taken.push_back(static_cast<Index>(a));
    const double root = std::sqrt(left);
    for (std::size_t i = a; i < b; ++i) residual[i * b + a] /= root;
    for (std::size_t i = a + 1; i < b; ++i)
      for (std::size_t j = a + 1; j <= i; ++j) residual[i * b + j] -= residual[i * b + a] * residual[j * b + a];
  }
  const std::size_t m = block.taken.size();
  block.factor.assign(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      block.factor[i * m + j] =
          residual[static_cast<std::size_t>(block.taken[i]) * b + static_cast<std::size_t>(block.taken[j])];
    }
  }
  return block;
}

}  // namespace cairn
