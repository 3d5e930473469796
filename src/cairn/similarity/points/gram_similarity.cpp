#include "cairn/similarity/points/gram_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/row_product.hpp"
#include "cairn/similarity/points/sparse_pairs.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

template <class T>
MatrixView<const T> part(MatrixView<const T> points, Index begin, Index count) {
  return {points.row(begin), count, points.columns, points.stride};
}

// A block of the product is 1 MiB, half of a current L2 cache, and flat: packing its inputs costs BLAS 1 / rows + 1 /
// columns of the arithmetic. Blocks depend on the shape of the tile alone.
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
const PointBlock<T>& compared_points(const ObjectBlock& objects, Index dimension) {
  const auto* points = dynamic_cast<const PointBlock<T>*>(&objects);
  if (points == nullptr) throw Error(ErrorKind::internal, "a similarity of points was given objects of another kind");
  if (points->dimension() != dimension) {
    throw Error(ErrorKind::internal, fmt::format("a similarity of points with {} coordinates was given points with {}",
                                                 dimension, points->dimension()));
  }
  return *points;
}

template <class T>
double GramSimilarity<T>::cost(const ObjectBlock& rows) const {
  constexpr double function_cost = 32;  // an exponential takes about the time of 32 coordinates
  const auto* points = dynamic_cast<const PointBlock<T>*>(&rows);
  const auto objects = static_cast<double>(rows.size());
  const bool sparse = points != nullptr && points->sparse;
  return (sparse ? static_cast<double>(points->sparse->entries()) : objects * static_cast<double>(dimension_)) +
         objects * function_cost;
}

template <class T>
void GramSimilarity<T>::from_squares(const PointBlock<T>& /*points*/, T* /*squares*/) const {}

template <class T>
T GramSimilarity<T>::square_of(const PointBlock<T>& points, Index i) const {
  if (!points.sparse) return vector_math::dot(points.coordinates.row(i), points.coordinates.row(i), dimension_);
  const SparseRow<T> row = points.sparse->row(i);
  return static_cast<T>(sparse_product(row, row));
}

template <class T>
void GramSimilarity<T>::norms(const PointBlock<T>& points, T* out) const {
  for (Index i = 0; i < points.size(); ++i) out[i] = square_of(points, i);
  from_squares(points, out);
}

template <class T>
T GramRow<T>::squared_distance(Index b) const {
  if (sparse_columns == nullptr) return vector_math::squared_distance(point.data, columns.row(b), columns.columns);
  return static_cast<T>(sparse_squared_distance(entries, sparse_columns->row(first + b)));
}

template <class T>
void GramSimilarity<T>::finish_diagonal(const ObjectBlock& /*rows*/, const ObjectBlock& /*columns*/,
                                        MatrixView<T> /*out*/, bool /*base*/) const {}

template <class T>
struct GramSimilarity<T>::Tile {
  const ObjectBlock& rows;
  const ObjectBlock& columns;
  MatrixView<const T> x;  // empty if the points are sparse; y likewise
  MatrixView<const T> y;
  const SparsePoints<T>* sparse_x;
  const SparsePoints<T>* sparse_y;
  std::vector<T> x_norms;
  std::span<const T> y_norms;
  T largest_norm;   // of y_norms
  const T* packed;  // the columns in panels; null: they are packed for this tile
  MatrixView<T> out;
  bool base;
};

// Applies the element function to the products in row a, columns `columns` of the tile.
template <class T>
void GramSimilarity<T>::finish(const Tile& tile, Index a, Range columns) const {
  const auto row = static_cast<std::size_t>(a);
  GramRow<T> gram{.norm = tile.x_norms[row],
                  .column_norms = tile.y_norms.data() + columns.begin,
                  .first = columns.begin,
                  .count = columns.size(),
                  .largest_norm = tile.largest_norm,
                  .base = tile.base,
                  .sparse_columns = tile.sparse_y};
  if (tile.sparse_y != nullptr) {
    gram.entries = tile.sparse_x->row(a);
  } else {
    gram.point = part(tile.x, a, 1);
    gram.columns = part(tile.y, columns.begin, columns.size());
  }
  T* values = tile.out.row(a) + columns.begin;
  if (finish_row(gram, values)) return;
  for (Index b = columns.begin; b < columns.end; ++b) {
    if (std::isfinite(tile.out.row(a)[b])) continue;
    require_defined(compared_points<T>(tile.rows, dimension_), a);
    require_defined(compared_points<T>(tile.columns, dimension_), b);
  }
  const auto ids = std::span(tile.columns.ids).subspan(columns.begin, columns.size());
  this->report_not_finite(tile.rows.ids[row], ids, values);
}

template <class T>
void GramSimilarity<T>::compute_by_blas(const Tile& tile) const {
  const BlockShape<T> shape(tile.y.rows);
  for (Index b = 0; b < tile.y.rows; b += shape.columns) {
    const Range columns{b, std::min(b + shape.columns, tile.y.rows)};
    for (Index a = 0; a < tile.x.rows; a += shape.rows) {
      const Range rows{a, std::min(a + shape.rows, tile.x.rows)};
      multiply_add<T>(factor_, part(tile.x, a, rows.size()), transposed<T>(part(tile.y, b, columns.size())), T{0},
                      MatrixView<T>(tile.out.row(a) + b, rows.size(), columns.size(), tile.out.stride));
      for (Index i = rows.begin; i < rows.end; ++i) finish(tile, i, columns);
    }
  }
}

template <class T>
std::uint64_t GramSimilarity<T>::next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

template <class T>
bool GramSimilarity<T>::by_panels() const {
  // ns per entry at 16 coordinates, panels and BLAS: 0.45 and 0.60 in double, 0.23 and 0.34 in single; at 32 BLAS wins.
  constexpr Index most_by_panels = 16;
  return 0 < dimension_ && dimension_ <= most_by_panels;
}

// Points, times the factor, in panels. The last panel may be narrower: then its memory is 0 before.
template <class T>
void GramSimilarity<T>::pack(MatrixView<const T> points, T* packed) const {
  constexpr Index width = vector_math::panel_width<T>;
  for (Index b = 0; b < points.rows; ++b) {
    T* to = packed + b / width * width * dimension_ + b % width;
    for (Index k = 0; k < dimension_; ++k) to[k * width] = factor_ * points(b, k);
  }
}

// Norms and panels of the columns take as long as some tens of rows: they are kept from the second tile of few rows on,
// of blocks with points of their own. @return null before, and if there is no memory for them
template <class T>
std::shared_ptr<const PreparedColumns<T>> GramSimilarity<T>::prepared(const PointBlock<T>& columns, Index rows) const {
  constexpr Index most_rows = 256, most_bytes = Index{64} << 20;
  constexpr Index width = vector_math::panel_width<T>;
  const Index padded = (columns.size() + width - 1) / width * width;
  const bool own = columns.owned.size() > 0;  // a view may be one of very many
  if (rows > most_rows || !own || padded * dimension_ * static_cast<Index>(sizeof(T)) > most_bytes) return {};
  auto known = columns.prepared.load();
  const bool again = known && known->maker == number_;
  if (again && !known->norms.empty()) return known;
  auto made = std::make_shared<PreparedColumns<T>>();
  made->maker = number_;
  if (!again) {
    columns.prepared.store(std::move(made));
    return {};
  }
  try {
    made->norms.resize(static_cast<std::size_t>(columns.size()));
    if (by_panels()) made->packed = Buffer<T>(padded * dimension_);
  } catch (const std::bad_alloc&) {
    return {};
  }
  norms(columns, made->norms.data());
  if (by_panels()) {
    std::fill_n(made->packed.data(), made->packed.size(), T(0));
    pack(columns.coordinates, made->packed.data());
  }
  columns.prepared.store(made);
  return made;
}

// Columns are packed into panels that fill most of the L1 cache and stay there for all rows.
template <class T>
void GramSimilarity<T>::compute_by_panels(const Tile& tile) const {
  constexpr Index cache_bytes = 32768;
  constexpr Index width = vector_math::panel_width<T>;
  const Index panel = width * dimension_;
  const Index panels = std::max<Index>(cache_bytes / (panel * static_cast<Index>(sizeof(T))), 1);
  Buffer<T> own(tile.packed == nullptr ? panels * panel : 0);
  std::fill_n(own.data(), own.size(), T(0));
  std::array<T, static_cast<std::size_t>(width)> last;
  for (Index begin = 0; begin < tile.y.rows; begin += panels * width) {
    const Range columns{begin, std::min(begin + panels * width, tile.y.rows)};
    if (tile.packed == nullptr) pack(part(tile.y, begin, columns.size()), own.data());
    const T* const packed = tile.packed == nullptr ? own.data() : tile.packed + begin * dimension_;
    for (Index a = 0; a < tile.x.rows; ++a) {
      T* products = tile.out.row(a) + begin;
      for (Index b = 0; b < columns.size(); b += width) {
        const T* from = packed + b / width * panel;
        const Index count = std::min(width, columns.size() - b);
        vector_math::dot_panel(tile.x.row(a), from, dimension_, count == width ? products + b : last.data());
        if (count < width) std::copy_n(last.data(), count, products + b);
      }
      finish(tile, a, columns);
    }
  }
}

// The products of a row are summed by coordinate, in ascending order: x.y equals y.x to the last bit.
template <class T>
void GramSimilarity<T>::compute_by_entries(const Tile& tile) const {
  const EntriesByColumn<T>& by_column = tile.sparse_y->by_column();
  std::vector<double> sums(tile.out.columns);
  for (Index a = 0; a < tile.out.rows; ++a) {
    std::ranges::fill(sums, 0.0);
    const SparseRow<T> x = tile.sparse_x->row(a);
    for (std::size_t e = 0; e < x.columns.size(); ++e) {
      const auto [points, values] = by_column.column(x.columns[e]);
      const auto value = static_cast<double>(x.values[e]);
      for (std::size_t b = 0; b < points.size(); ++b) {
        sums[points[b]] += value * static_cast<double>(values[b]);
      }
    }
    const auto factor = static_cast<double>(factor_);
    std::ranges::transform(sums, tile.out.row(a), [&](double sum) { return static_cast<T>(factor * sum); });
    finish(tile, a, {0, tile.out.columns});
  }
}

template <class T>
void GramSimilarity<T>::compute(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out,
                                bool base) const {
  const PointBlock<T>& x = compared_points<T>(rows, dimension_);
  const PointBlock<T>& y = compared_points<T>(columns, dimension_);
  std::optional<AsSparse<T>> sparse_x, sparse_y;
  if (x.sparse || y.sparse) {
    sparse_x.emplace(x);
    sparse_y.emplace(y);
  }
  Tile tile{.rows = rows,
            .columns = columns,
            .x = x.coordinates,
            .y = y.coordinates,
            .sparse_x = sparse_x ? &**sparse_x : nullptr,
            .sparse_y = sparse_y ? &**sparse_y : nullptr,
            .x_norms = std::vector<T>(static_cast<std::size_t>(x.size())),
            .y_norms = {},
            .largest_norm = T(0),
            .packed = nullptr,
            .out = out,
            .base = base};
  norms(x, tile.x_norms.data());
  std::vector<T> own_norms;  // 1 / rows of the arithmetic
  const auto known = x.sparse ? nullptr : prepared(y, x.size());
  if (known) {
    tile.y_norms = known->norms;
    if (known->packed.size() > 0) tile.packed = known->packed.data();
  } else {
    own_norms.resize(static_cast<std::size_t>(y.size()));
    norms(y, own_norms.data());
    tile.y_norms = own_norms;
  }
  tile.largest_norm = *std::max_element(tile.y_norms.begin(), tile.y_norms.end());
  if (sparse_y)
    compute_by_entries(tile);
  else if (by_panels())
    compute_by_panels(tile);
  else
    compute_by_blas(tile);
  finish_diagonal(rows, columns, out, base);
}

template const PointBlock<float>& compared_points<float>(const ObjectBlock&, Index);
template const PointBlock<double>& compared_points<double>(const ObjectBlock&, Index);
template struct GramRow<float>;
template struct GramRow<double>;
template class GramSimilarity<float>;
template class GramSimilarity<double>;

}  // namespace cairn
