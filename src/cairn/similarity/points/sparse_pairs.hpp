// Functions of two sparse points, in double precision for any stored type; and sparse points from a block.
#pragma once

#include <cmath>
#include <memory>
#include <span>

#include "cairn/data/points/point_set.hpp"

namespace cairn {

/// Sum of term(x_k, y_k) over all coordinates that are nonzero in x or y, in the order of the coordinates.
template <class T, class Term>
[[nodiscard]] double sum_over_both(const SparseRow<T>& x, const SparseRow<T>& y, const Term& term) {
  double sum = 0;
  std::size_t a = 0, b = 0;
  const std::size_t x_end = x.columns.size(), y_end = y.columns.size();
  while (a < x_end && b < y_end) {
    const Index i = x.columns[a], j = y.columns[b];
    sum += term(i <= j ? static_cast<double>(x.values[a]) : 0.0, j <= i ? static_cast<double>(y.values[b]) : 0.0);
    if (i <= j) ++a;
    if (j <= i) ++b;
  }
  for (; a < x_end; ++a) sum += term(static_cast<double>(x.values[a]), 0.0);
  for (; b < y_end; ++b) sum += term(0.0, static_cast<double>(y.values[b]));
  return sum;
}

template <class T>
[[nodiscard]] double sparse_product(const SparseRow<T>& x, const SparseRow<T>& y) {
  return sum_over_both(x, y, [](double a, double b) { return a * b; });
}

template <class T>
[[nodiscard]] double sparse_squared_distance(const SparseRow<T>& x, const SparseRow<T>& y) {
  return sum_over_both(x, y, [](double a, double b) { return (a - b) * (a - b); });
}

template <class T>
[[nodiscard]] double sparse_manhattan_distance(const SparseRow<T>& x, const SparseRow<T>& y) {
  return sum_over_both(x, y, [](double a, double b) { return std::abs(a - b); });
}

/// Sparse points of a block: its own, or made from its coordinates each time.
template <class T>
class AsSparse {
 public:
  explicit AsSparse(const PointBlock<T>& block) {
    if (!block.sparse) made_ = std::make_unique<const SparsePoints<T>>(block.coordinates);
    points_ = block.sparse ? block.sparse.get() : made_.get();
  }
  [[nodiscard]] const SparsePoints<T>& operator*() const { return *points_; }
  [[nodiscard]] const SparsePoints<T>* operator->() const { return points_; }

 private:
  std::unique_ptr<const SparsePoints<T>> made_;
  const SparsePoints<T>* points_;
};

/// out[a] = of_rows(x_a, y_a) for the sparse points of two blocks of one length, one of them sparse.
template <class T, class OfRows>
void for_sparse_pairs(const PointBlock<T>& x, const PointBlock<T>& y, const OfRows& of_rows, std::span<T> out) {
  const AsSparse<T> first(x), second(y);
  for (Index a = 0; a < first->rows(); ++a) {
    out[a] = static_cast<T>(of_rows(first->row(a), second->row(a)));
  }
}

}  // namespace cairn
