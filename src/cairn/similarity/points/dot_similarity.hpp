// Similarities of points that are a function of their inner product. Private to this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/points/point_function.hpp"
#include "cairn/similarity/points/sparse_pairs.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

/// f(x·y), or f(x·y / (n(x) n(y))) with n from from_squares().
template <class T>
class DotSimilarity : public GramSimilarity<T>, public PointFunction {
 protected:
  DotSimilarity(std::string name, Index dimension) : GramSimilarity<T>({.name = std::move(name)}, dimension, T(1)) {}

  // Element function on x.y; the norms are those of from_squares().
  virtual bool apply(T row_norm, const T* column_norms, T* values, Index n) const = 0;

  bool finish_row(const GramRow<T>& row, T* values) const final {
    return apply(row.norm, row.column_norms, values, row.count);
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    const Index d = this->dimension();
    const PointBlock<T>& x = compared_points<T>(first, d);
    const PointBlock<T>& y = compared_points<T>(second, d);
    std::vector<T> x_norms(out.size()), y_norms(out.size());
    this->norms(x, x_norms.data());
    this->norms(y, y_norms.data());
    if (x.sparse || y.sparse) for_sparse_pairs(x, y, sparse_product<T>, out);
    for (std::size_t a = 0; a < out.size(); ++a) {
      const auto row = static_cast<Index>(a);
      if (!x.sparse && !y.sparse) out[a] = vector_math::dot(x.coordinates.row(row), y.coordinates.row(row), d);
      if (apply(x_norms[a], &y_norms[a], &out[a], 1)) continue;
      this->require_defined(x, row);
      this->require_defined(y, row);
    }
  }
};

}  // namespace cairn
