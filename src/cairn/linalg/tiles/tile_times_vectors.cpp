#include "cairn/linalg/tiles/tile_times_vectors.hpp"

#include <algorithm>

#include "cairn/base/each_level.hpp"

namespace cairn {

namespace {

constexpr Index rows_at_once = 4;

// Four rows of a tile times x, which are returned in `sums`; y += their transpose times `of_rows`.
template <bool forward, bool back, class T>
[[gnu::always_inline]] inline void multiply_four(const T* const* rows, Index n, const double* x, double* sums,
                                                 const double* of_rows, double* y) {
  const T *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const double e = of_rows[0], f = of_rows[1], g = of_rows[2], h = of_rows[3];
  double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
#pragma omp simd reduction(+ : first, second, third, fourth)
  for (Index j = 0; j < n; ++j) {
    const auto aj = static_cast<double>(a[j]), bj = static_cast<double>(b[j]), cj = static_cast<double>(c[j]),
               dj = static_cast<double>(d[j]);
    if constexpr (forward) {
      first += aj * x[j];
      second += bj * x[j];
      third += cj * x[j];
      fourth += dj * x[j];
    }
    if constexpr (back) y[j] += (aj * e + bj * f) + (cj * g + dj * h);
  }
  sums[0] = first, sums[1] = second, sums[2] = third, sums[3] = fourth;
}

template <bool forward, bool back, class T>
[[gnu::always_inline]] inline void multiply(MatrixView<const T> tile, const TileVectors& v) {
  const Index count = forward ? v.x_of_columns.rows : v.x_of_rows.rows;
  for (Index i = 0; i < tile.rows; i += rows_at_once) {
    const Index here = std::min(rows_at_once, tile.rows - i);
    const T* rows[rows_at_once];
    for (Index k = 0; k < rows_at_once; ++k) rows[k] = tile.row(i + std::min(k, here - 1));  // the last one again
    for (Index c = 0; c < count; ++c) {
      double sums[rows_at_once], of_rows[rows_at_once] = {};
      if constexpr (back) std::copy_n(v.x_of_rows.row(c) + i, here, of_rows);
      multiply_four<forward, back>(rows, tile.columns, v.x_of_columns.row(c), sums, of_rows, v.y_of_columns.row(c));
      for (Index k = 0; forward && k < here; ++k) v.y_of_rows(c, i + k) += sums[k];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void multiply(MatrixView<const T> tile, const TileVectors& vectors) {
  if (vectors.x_of_rows.rows == 0) return multiply<true, false>(tile, vectors);
  if (vectors.x_of_columns.rows == 0) return multiply<false, true>(tile, vectors);
  multiply<true, true>(tile, vectors);
}

}  // namespace

// Once for each number type, since target_clones does not support templates.
CAIRN_EACH_LEVEL void multiply_tile(MatrixView<const float> tile, const TileVectors& vectors) {
  multiply(tile, vectors);
}
CAIRN_EACH_LEVEL void multiply_tile(MatrixView<const double> tile, const TileVectors& vectors) {
  multiply(tile, vectors);
}

}  // namespace cairn
