// The variance of trees of sketches. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Exact for independent hashes: with z, z' the vectors of x, y at a node, the means over draws of A = (z·z')², B =
/// |z|²|z'|² and Q = sum of z_l² z'_l² follow from those of its children (1 and 2), which are independent. With C = A -
/// Q and D = B - Q, m columns and k = 1 for odd m, else 2:
///   A = A1 A2 + (D1 A2 + A1 D2 + C1 A2 + A1 C2 + D1 D2 + C1 C2) / m + k (D1 C2 + C1 D2) / m²
///   B = B1 B2 + 2 (C1 B2 + B1 C2 + C1 C2) / m + 2 k C1 C2 / m²
///   Q = Q1 Q2 + (Q1 (D2 + 2 C2) + Q2 (D1 + 2 C1) + D1 D2 + 2 C1 C2) / m + 2 (D1 C2 + C1 D2 + C1 C2) / m²
/// and at a leaf, those of the points. The variance is A of the root less (x·y)^(2 p), of a tree that is one leaf,
/// which is a CountSketch, (D + C) / m: what four hashes of the same coordinates do together is known from which are
/// equal.
class TreeMoments {
 public:
  /// @param columns  numbers of columns for which variances are computed
  TreeMoments(Index degree, std::vector<Index> columns);

  /// Numbers that add() adds to.
  [[nodiscard]] std::size_t size() const { return columns_.size() * order_; }
  /// sums[k (degree + 1) + p] += weight times the variance of degree p in columns[k].
  /// @param product  (x·y)² @param norms  |x|²|y|² @param squares  sum of x_l² y_l². Local.
  void add(double weight, double product, double norms, double squares, std::span<double> sums);

 private:
  struct Moments {
    double a, b, q;
  };
  static Moments joined(const Moments& x, const Moments& y, double t, double k);

  std::size_t order_;
  std::vector<Index> columns_;
  std::vector<Moments> of_;  // of trees with so many leaves
};

}  // namespace cairn
