// Matrices in ScaLAPACK's two-dimensional block-cyclic layout.
#pragma once

#include <array>
#include <memory>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"
#include "cairn/linalg/dense/process_grid.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// An m x n matrix of doubles in square blocks distributed cyclically over a process grid; locally column-major.
///
/// Move-only; copy() is explicit. Memory: m n / ranks doubles and a block's margin.
class BlockCyclicMatrix {
 public:
  /// Edge of a block: measured best for pdsyevd and pdgemm (64 against 32 and 128).
  static constexpr int block = 64;

  /// Uninitialized. @throws Error(resource) if a dimension or a local size exceeds ScaLAPACK's 32-bit integers.
  /// Collective.
  BlockCyclicMatrix(std::shared_ptr<const ProcessGrid> grid, Index rows, Index columns);
  BlockCyclicMatrix(BlockCyclicMatrix&&) noexcept = default;
  BlockCyclicMatrix& operator=(BlockCyclicMatrix&&) noexcept = default;

  [[nodiscard]] const ProcessGrid& grid() const { return *grid_; }
  [[nodiscard]] const std::shared_ptr<const ProcessGrid>& shared_grid() const { return grid_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index local_rows() const { return local_rows_; }
  [[nodiscard]] Index local_columns() const { return local_columns_; }
  /// Global number of a local row or column.
  [[nodiscard]] Index global_row(Index local) const;
  [[nodiscard]] Index global_column(Index local) const;
  /// Column-major, leading dimension leading().
  [[nodiscard]] double* data() { return values_.data(); }
  [[nodiscard]] const double* data() const { return values_.data(); }
  [[nodiscard]] Index leading() const { return local_rows_ > 0 ? local_rows_ : 1; }
  [[nodiscard]] double& local(Index i, Index j) { return values_[j * leading() + i]; }
  [[nodiscard]] double local(Index i, Index j) const { return values_[j * leading() + i]; }
  /// ScaLAPACK's array descriptor.
  [[nodiscard]] const std::array<int, 9>& descriptor() const { return descriptor_; }

  [[nodiscard]] BlockCyclicMatrix copy() const;

  /// Sets every entry to f(global row, global column). Local.
  template <class Function>
  void fill(Function f) {
    for (Index j = 0; j < local_columns_; ++j)
      for (Index i = 0; i < local_rows_; ++i) local(i, j) = f(global_row(i), global_column(j));
  }

 private:
  std::shared_ptr<const ProcessGrid> grid_;
  Index rows_ = 0, columns_ = 0, local_rows_ = 0, local_columns_ = 0;
  std::array<int, 9> descriptor_{};
  Buffer<double> values_;
};

/// The rows `pick` (global numbers, any order, repeats allowed, the same list on every rank) of a tall matrix as a
/// picks x k block-cyclic matrix: SᵀC. No rank holds more than its share and one message buffer of that size.
/// Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& tall,
                                            std::span<const Index> pick);

/// Converts a tall matrix to block-cyclic layout, and back. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& tall);
template <class T>
[[nodiscard]] RowBlock<T> to_row_block(const BlockCyclicMatrix& matrix, const RowPartition& partition);

/// Columns [columns.begin, columns.end) of `matrix` on every rank: rows x columns.size(), row-major. Collective.
[[nodiscard]] Buffer<double> replicate_columns(const BlockCyclicMatrix& matrix, Range columns);

}  // namespace cairn
