#include "similarity/gram_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "similarity/vector_math.hpp"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
}

namespace cairn {

namespace {

int blas_size(Index value) {
  if (value > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::resource, fmt::format("{} is too large for BLAS with 32-bit integers", value));
  }
  return static_cast<int>(value);
}

// out = factor * x yᵀ, all row-major: BLAS sees the transposes of all three.
template <class T>
void multiply_transposed(T factor, MatrixView<const T> x, MatrixView<const T> y, MatrixView<T> out) {
  const int m = blas_size(y.rows);
  const int n = blas_size(x.rows);
  const int k = blas_size(x.columns);
  const int ldx = blas_size(std::max<Index>(x.stride, 1));
  const int ldy = blas_size(std::max<Index>(y.stride, 1));
  const int ldout = blas_size(out.stride);
  const T zero = 0;
  if constexpr (std::is_same_v<T, double>) {
    dgemm_("T", "N", &m, &n, &k, &factor, y.data, &ldy, x.data, &ldx, &zero, out.data, &ldout);
  } else {
    sgemm_("T", "N", &m, &n, &k, &factor, y.data, &ldy, x.data, &ldx, &zero, out.data, &ldout);
  }
}

template <class T>
MatrixView<const T> part(MatrixView<const T> points, Index begin, Index count) {
  return {points.row(begin), count, points.columns, points.stride};
}

// A block of the product is 1 MiB, half of a second-level cache of today, and flat: packing its inputs costs BLAS
// 1 / rows + 1 / columns of the arithmetic. The blocks depend on the shape of the tile alone.
template <class T>
struct BlockShape {
  static constexpr Index bytes = Index{1} << 20;
  static constexpr Index largest_columns = 8192 / static_cast<Index>(sizeof(T));
  Index columns;
  Index rows;
  explicit BlockShape(Index tile_columns)
      : columns(std::min(tile_columns, largest_columns)),
        rows(std::min<Index>(bytes / static_cast<Index>(sizeof(T)) / columns, 1024)) {}
};

}  // namespace

template <class T>
const PointBlock<T>& points_of(const ObjectBlock& objects, Index dimension) {
  const auto* points = dynamic_cast<const PointBlock<T>*>(&objects);
  if (points == nullptr) throw Error(ErrorKind::internal, "a similarity of points was given objects of another kind");
  if (points->coordinates.columns != dimension) {
    throw Error(ErrorKind::internal, fmt::format("a similarity of points with {} coordinates was given points with {}",
                                                 dimension, points->coordinates.columns));
  }
  return *points;
}

template <class T>
double GramSimilarity<T>::cost(const ObjectSet& /*objects*/, Range rows) const {
  constexpr double function_cost = 32;  // an exponential takes about the time of 32 coordinates
  return static_cast<double>(rows.size()) * (static_cast<double>(dimension_) + function_cost);
}

template <class T>
void GramSimilarity<T>::norms(MatrixView<const T> points, T* out) const {
  for (Index i = 0; i < points.rows; ++i) out[i] = vector_math::dot(points.row(i), points.row(i), points.columns);
}

template <class T>
void GramSimilarity<T>::finish_diagonal(const ObjectBlock& /*rows*/, const ObjectBlock& /*columns*/,
                                        MatrixView<T> /*out*/) const {}

template <class T>
void GramSimilarity<T>::compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  const MatrixView<const T> x = points_of<T>(rows, dimension_).coordinates;
  const MatrixView<const T> y = points_of<T>(columns, dimension_).coordinates;
  std::vector<T> x_norms(static_cast<std::size_t>(x.rows));
  std::vector<T> y_norms(static_cast<std::size_t>(y.rows));  // again for each tile: 1 / rows of its arithmetic
  norms(x, x_norms.data());
  norms(y, y_norms.data());
  const T largest_norm = *std::max_element(y_norms.begin(), y_norms.end());

  const BlockShape<T> shape(y.rows);
  for (Index b = 0; b < y.rows; b += shape.columns) {
    const auto stripe = part(y, b, std::min(shape.columns, y.rows - b));
    const auto stripe_ids =
        std::span(columns.ids).subspan(static_cast<std::size_t>(b), static_cast<std::size_t>(stripe.rows));
    for (Index a = 0; a < x.rows; a += shape.rows) {
      const auto block = part(x, a, std::min(shape.rows, x.rows - a));
      const MatrixView<T> products(out.row(a) + b, block.rows, stripe.rows, out.stride);
      multiply_transposed(factor_, block, stripe, products);
      for (Index i = 0; i < block.rows; ++i) {
        const auto row = static_cast<std::size_t>(a + i);
        const GramRow<T> gram{block.row(i), x_norms[row], stripe, y_norms.data() + b, largest_norm};
        if (!finish_row(gram, products.row(i))) this->report_not_finite(rows.ids[row], stripe_ids, products.row(i));
      }
    }
  }
  finish_diagonal(rows, columns, out);
}

template const PointBlock<float>& points_of<float>(const ObjectBlock&, Index);
template const PointBlock<double>& points_of<double>(const ObjectBlock&, Index);
template class GramSimilarity<float>;
template class GramSimilarity<double>;

}  // namespace cairn
