// Tall dense matrices, with contiguous rows on each rank.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "cairn/base/buffer.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// A tall n x k matrix, row-major, initially uninitialized; each rank holds its rows of `partition`.
template <class T>
class RowBlock {
 public:
  RowBlock() = default;
  /// @throws Error(resource) if this rank lacks memory for its rows (not collective)
  RowBlock(const RowPartition& partition, int rank, Index columns)
      : partition_(partition),
        range_(partition.range(rank)),
        columns_(columns),
        values_(partition.range(rank).size() * columns),
        data_(values_.data()) {}
  /// Rows of this rank that a program lends: `lent` keeps them alive. They are read, and never written.
  RowBlock(const RowPartition& partition, int rank, Index columns, std::shared_ptr<T> lent)
      : partition_(partition),
        range_(partition.range(rank)),
        columns_(columns),
        lent_(std::move(lent)),
        data_(lent_.get()) {}

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// Rows of the whole matrix.
  [[nodiscard]] Index rows() const { return partition_.rows(); }
  [[nodiscard]] Index columns() const { return columns_; }
  /// Rows that this rank holds.
  [[nodiscard]] Range range() const { return range_; }
  /// The row with this global number, which this rank must hold.
  [[nodiscard]] std::span<T> row(Index global) {
    return {data_ + (global - range_.begin) * columns_, static_cast<std::size_t>(columns_)};
  }
  [[nodiscard]] std::span<const T> row(Index global) const {
    return {data_ + (global - range_.begin) * columns_, static_cast<std::size_t>(columns_)};
  }
  /// All rows of this rank.
  [[nodiscard]] MatrixView<T> local() { return {data_, range_.size(), columns_}; }
  [[nodiscard]] MatrixView<const T> local() const { return {data_, range_.size(), columns_}; }

 private:
  RowPartition partition_;
  Range range_;
  Index columns_ = 0;
  Buffer<T> values_;
  std::shared_ptr<T> lent_;
  T* data_ = nullptr;  // of values_ or lent_
};

}  // namespace cairn
