// The subsequence kernel of several pairs at once. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"

namespace cairn {

/// Common subsequences that count, and the factor of each place that they span.
struct SubsequenceRule {
  int length = 4;       ///< longest that counts
  double decay = 0.75;  ///< 0 < decay <= 1
};

/// Sums over common subsequences of `lanes` pairs of sequences at once:
/// K(x, y) = sum over u of 1 to `length` symbols, over the places i of u in x and j of u in y, of
/// decay^(spread of i + spread of j), where the spread is last - first + 1.     [Lodhi et al. 2002]
///
/// s¹_ij = decay² [x_i = y_j] and s^{l+1}_ij = decay² [x_i = y_j] p^l_{i-1,j-1}, where p^l is the sum of s^l over all
/// places before, each decayed by its distance; K = Σ s. One row of p is kept for each length, decayed along x, and is
/// summed along y in passing. O(length |x| |y|) for all pairs together. Not thread-safe.
class SubsequenceLanes {
 public:
  static constexpr Index lanes = 8;
  using Values = std::array<double, lanes>;
  using Sequence = std::span<const std::int32_t>;

  explicit SubsequenceLanes(const SubsequenceRule& rule) : rule_(rule) {}

  /// K of x[k] and y[k] for up to `lanes` pairs.
  void pairs(std::span<const Sequence> x, std::span<const Sequence> y, Values& out);
  /// K of x and y[k].
  void row(Sequence x, std::span<const Sequence> y, Values& out);

 private:
  void compute(bool one, Values& out);

  SubsequenceRule rule_;
  Buffer<std::int64_t> x_, y_;  // place by place, `lanes` numbers each; one each for a single x
  Index x_places_ = 0, y_places_ = 0;
  Buffer<double> sums_;
};

}  // namespace cairn
