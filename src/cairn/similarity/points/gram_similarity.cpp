#include "cairn/similarity/points/gram_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// out = factor * x yᵀ, all row-major: BLAS sees the transposes of all three.
template <class T>
void multiply_transposed(T factor, MatrixView<const T> x, MatrixView<const T> y, MatrixView<T> out) {
  const auto size = [](Index value) { return to_library_int(value, "rows or coordinates of points"); };
  const int ldx = size(std::max<Index>(x.stride, 1)), ldy = size(std::max<Index>(y.stride, 1));
  blas::gemm('T', 'N', size(y.rows), size(x.rows), size(x.columns), factor, y.data, ldy, x.data, ldx, T{0}, out.data,
             size(out.stride));
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
double GramSimilarity<T>::cost(const ObjectBlock& rows) const {
  constexpr double function_cost = 32;  // an exponential takes about the time of 32 coordinates
  return static_cast<double>(rows.size()) * (static_cast<double>(dimension_) + function_cost);
}

template <class T>
void GramSimilarity<T>::norms(MatrixView<const T> points, T* out) const {
  for (Index i = 0; i < points.rows; ++i) out[i] = vector_math::dot(points.row(i), points.row(i), points.columns);
}

template <class T>
void GramSimilarity<T>::finish_diagonal(const ObjectBlock& /*rows*/, const ObjectBlock& /*columns*/,
                                        MatrixView<T> /*out*/, bool /*base*/) const {}

template <class T>
struct GramSimilarity<T>::Tile {
  const ObjectBlock& rows;
  const ObjectBlock& columns;
  MatrixView<const T> x;
  MatrixView<const T> y;
  std::vector<T> x_norms;
  std::vector<T> y_norms;  // again for each tile: 1 / rows of its arithmetic
  T largest_norm;          // of y_norms
  MatrixView<T> out;
  bool base;
};

// The element function on the products that stand in row a, columns `columns` of the tile.
template <class T>
void GramSimilarity<T>::finish(const Tile& tile, Index a, Range columns) const {
  const auto row = static_cast<std::size_t>(a);
  const GramRow<T> gram{tile.x.row(a),
                        tile.x_norms[row],
                        part(tile.y, columns.begin, columns.size()),
                        tile.y_norms.data() + columns.begin,
                        tile.largest_norm,
                        tile.base};
  T* values = tile.out.row(a) + columns.begin;
  if (finish_row(gram, values)) return;
  for (Index b = columns.begin; b < columns.end; ++b) {
    if (std::isfinite(tile.out.row(a)[b])) continue;
    require_defined(tile.x.row(a), tile.rows.ids[row]);
    require_defined(tile.y.row(b), tile.columns.ids[static_cast<std::size_t>(b)]);
  }
  const auto ids = std::span(tile.columns.ids)
                       .subspan(static_cast<std::size_t>(columns.begin), static_cast<std::size_t>(columns.size()));
  this->report_not_finite(tile.rows.ids[row], ids, values);
}

template <class T>
void GramSimilarity<T>::compute_by_blas(const Tile& tile) const {
  const BlockShape<T> shape(tile.y.rows);
  for (Index b = 0; b < tile.y.rows; b += shape.columns) {
    const Range columns{b, std::min(b + shape.columns, tile.y.rows)};
    for (Index a = 0; a < tile.x.rows; a += shape.rows) {
      const Range rows{a, std::min(a + shape.rows, tile.x.rows)};
      multiply_transposed(factor_, part(tile.x, a, rows.size()), part(tile.y, b, columns.size()),
                          MatrixView<T>(tile.out.row(a) + b, rows.size(), columns.size(), tile.out.stride));
      for (Index i = rows.begin; i < rows.end; ++i) finish(tile, i, columns);
    }
  }
}

// Columns are packed into panels that fill most of a first-level cache, times the factor, and stay there for all rows.
template <class T>
void GramSimilarity<T>::compute_by_panels(const Tile& tile) const {
  constexpr Index cache_bytes = 32768;
  constexpr Index width = vector_math::panel_width<T>;
  const Index panel = width * dimension_;
  const Index panels = std::max<Index>(cache_bytes / (panel * static_cast<Index>(sizeof(T))), 1);
  Buffer<T> packed(panels * panel);
  std::fill_n(packed.data(), packed.size(), T(0));  // the last panel may be narrower
  std::array<T, static_cast<std::size_t>(width)> last;
  for (Index begin = 0; begin < tile.y.rows; begin += panels * width) {
    const Range columns{begin, std::min(begin + panels * width, tile.y.rows)};
    for (Index b = 0; b < columns.size(); ++b) {
      T* to = packed.data() + b / width * panel + b % width;
      for (Index k = 0; k < dimension_; ++k) to[k * width] = factor_ * tile.y(begin + b, k);
    }
    for (Index a = 0; a < tile.x.rows; ++a) {
      T* products = tile.out.row(a) + begin;
      for (Index b = 0; b < columns.size(); b += width) {
        const T* from = packed.data() + b / width * panel;
        const Index count = std::min(width, columns.size() - b);
        vector_math::dot_panel(tile.x.row(a), from, dimension_, count == width ? products + b : last.data());
        if (count < width) std::copy_n(last.data(), count, products + b);
      }
      finish(tile, a, columns);
    }
  }
}

template <class T>
void GramSimilarity<T>::compute(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out,
                                bool base) const {
  // ns an entry at 16 coordinates, panels and BLAS: 0.45 and 0.60 in double, 0.23 and 0.34 in single; at 32 BLAS wins.
  constexpr Index most_by_panels = 16;
  Tile tile{rows,
            columns,
            points_of<T>(rows, dimension_).coordinates,
            points_of<T>(columns, dimension_).coordinates,
            {},
            {},
            T(0),
            out,
            base};
  tile.x_norms.resize(static_cast<std::size_t>(tile.x.rows));
  tile.y_norms.resize(static_cast<std::size_t>(tile.y.rows));
  norms(tile.x, tile.x_norms.data());
  norms(tile.y, tile.y_norms.data());
  tile.largest_norm = *std::max_element(tile.y_norms.begin(), tile.y_norms.end());
  if (0 < dimension_ && dimension_ <= most_by_panels)
    compute_by_panels(tile);
  else
    compute_by_blas(tile);
  finish_diagonal(rows, columns, out, base);
}

template const PointBlock<float>& points_of<float>(const ObjectBlock&, Index);
template const PointBlock<double>& points_of<double>(const ObjectBlock&, Index);
template class GramSimilarity<float>;
template class GramSimilarity<double>;

}  // namespace cairn
