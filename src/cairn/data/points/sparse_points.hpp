// Points stored by their nonzero coordinates, held entirely by one rank.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"

namespace cairn {

/// Nonzeros of points, sorted by column (coordinate). Immutable, hence thread-safe.
template <class T>
class EntriesByColumn {
 public:
  /// The points with a nonzero in a column, ascending, and the values.
  struct Column {
    std::span<const Index> points;
    std::span<const T> values;
  };
  /// @param starts  rows + 1 positions in `indices` and `values`
  EntriesByColumn(Index columns, std::span<const Index> starts, const Index* indices, const T* values);
  [[nodiscard]] Column column(Index k) const;

 private:
  std::vector<Index> named_;   // columns that occur, ascending; empty: starts_ covers all columns
  std::vector<Index> starts_;  // start of each column, or of each that occurs
  std::vector<Index> points_;
  std::vector<T> values_;
};

/// Sparse points: a view of entries of a set, or their own entries. What is derived on demand is created once for all
/// threads.
template <class T>
class SparsePoints {
 public:
  /// A view. @param starts  rows + 1 positions in `indices` and `values`, the first not always 0; @param indices
  /// ascending within a row
  SparsePoints(Index columns, std::span<const Index> starts, const Index* indices, const T* values)
      : columns_(columns), starts_(starts), indices_(indices), values_(values) {}
  /// Owns its entries.
  SparsePoints(Index columns, std::vector<Index> starts, std::vector<Index> indices, std::vector<T> values)
      : columns_(columns),
        own_starts_(std::move(starts)),
        own_indices_(std::move(indices)),
        own_values_(std::move(values)),
        starts_(own_starts_),
        indices_(own_indices_.data()),
        values_(own_values_.data()) {}
  /// The nonzeros of points with all coordinates.
  explicit SparsePoints(MatrixView<const T> coordinates);
  SparsePoints(const SparsePoints&) = delete;
  SparsePoints& operator=(const SparsePoints&) = delete;
  ~SparsePoints() = default;

  [[nodiscard]] Index rows() const { return std::ssize(starts_) - 1; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index entries() const { return starts_.back() - starts_.front(); }
  [[nodiscard]] SparseRow<T> row(Index i) const {
    const Index begin = starts_[i], end = starts_[static_cast<std::size_t>(i) + 1];
    const auto count = static_cast<std::size_t>(end - begin);
    return {{indices_ + begin, count}, {values_ + begin, count}};
  }
  [[nodiscard]] const EntriesByColumn<T>& by_column() const;
  /// All coordinates: rows() x columns() numbers, stored as long as the points live.
  [[nodiscard]] MatrixView<const T> dense() const;

 private:
  Index columns_;
  std::vector<Index> own_starts_, own_indices_;
  std::vector<T> own_values_;
  std::span<const Index> starts_;
  const Index* indices_;
  const T* values_;
  mutable std::once_flag by_column_made_, dense_made_;
  mutable std::optional<EntriesByColumn<T>> by_column_;
  mutable Buffer<T> dense_;
};

/// Writes all coordinates of a point to `out`, the zeros too.
template <class T, class U>
void spread(const SparseRow<T>& row, std::span<U> out) {
  for (U& x : out) x = U(0);
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    out[row.columns[e]] = static_cast<U>(row.values[e]);
  }
}

/// True if points of `dimension` coordinates are stored by their entries: dense tiles are faster with more of them.
[[nodiscard]] bool sparse_enough(Index entries, Index points, Index dimension);

}  // namespace cairn
