// Tall sparse matrices, with contiguous rows on each rank.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// One row of a sparse matrix: ascending columns and their values.
template <class T>
struct SparseRow {
  std::span<const Index> columns;
  std::span<const T> values;
};

/// A tall n x k sparse matrix in compressed rows; each rank holds its rows of `partition`.
template <class T>
class SparseRows {
 public:
  SparseRows() = default;
  /// @param starts   own rows + 1 positions, starting at 0
  /// @param indices  column of each entry, ascending within a row
  /// @throws Error(internal) if the three are inconsistent (not collective)
  SparseRows(const RowPartition& partition, int rank, Index columns, std::vector<Index> starts,
             std::vector<Index> indices, std::vector<T> values);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Index rows() const { return partition_.rows(); }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Range range() const { return range_; }
  /// Entries that this rank stores.
  [[nodiscard]] Index own_entries() const { return static_cast<Index>(indices_.size()); }
  /// The row with this global number, which this rank must hold.
  [[nodiscard]] SparseRow<T> row(Index global) const {
    const auto begin = static_cast<std::size_t>(starts_[global - range_.begin]);
    const auto end = static_cast<std::size_t>(starts_[static_cast<std::size_t>(global - range_.begin) + 1]);
    return {std::span(indices_).subspan(begin, end - begin), std::span(values_).subspan(begin, end - begin)};
  }

  [[nodiscard]] const std::vector<Index>& starts() const { return starts_; }
  [[nodiscard]] const std::vector<Index>& indices() const { return indices_; }
  [[nodiscard]] const std::vector<T>& values() const { return values_; }
  [[nodiscard]] std::span<T> writable_values() { return values_; }

 private:
  RowPartition partition_;
  Range range_;
  Index columns_ = 0;
  std::vector<Index> starts_ = {0};
  std::vector<Index> indices_;
  std::vector<T> values_;
};

}  // namespace cairn
