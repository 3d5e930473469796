// Similarities of points that are a function of their inner product. Private to this folder.
#pragma once

#include <string>
#include <utility>

#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/points/point_function.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

/// f(x·y), or f(x·y / (n(x) n(y))), where norms() gives n.
template <class T>
class DotSimilarity : public GramSimilarity<T>, public PointFunction {
 protected:
  DotSimilarity(std::string name, Index dimension) : GramSimilarity<T>({.name = std::move(name)}, dimension, T(1)) {}

  // The element function on x.y; the norms are what norms() gives.
  virtual bool apply(T row_norm, const T* column_norms, T* values, Index n) const = 0;

  bool finish_row(const GramRow<T>& row, T* values) const final {
    return apply(row.norm, row.column_norms, values, row.columns.rows);
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    const Index d = this->dimension();
    const MatrixView<const T> x = points_of<T>(first, d).coordinates;
    const MatrixView<const T> y = points_of<T>(second, d).coordinates;
    for (Index a = 0; a < x.rows; ++a) {
      T& value = out[static_cast<std::size_t>(a)];
      T x_norm = 0;
      T y_norm = 0;
      this->norms(MatrixView<const T>(x.row(a), 1, d), &x_norm);
      this->norms(MatrixView<const T>(y.row(a), 1, d), &y_norm);
      value = vector_math::dot(x.row(a), y.row(a), d);
      if (apply(x_norm, &y_norm, &value, 1)) continue;
      this->require_defined(x.row(a), first.ids[static_cast<std::size_t>(a)]);
      this->require_defined(y.row(a), second.ids[static_cast<std::size_t>(a)]);
    }
  }
};

}  // namespace cairn
