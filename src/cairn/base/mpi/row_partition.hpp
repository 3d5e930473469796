// Distribution of rows over ranks.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn {

/// Splits rows 0 .. n-1 into contiguous blocks, one per rank, in rank order.
///
/// Boundaries are multiples of unit(n), which depends on n alone. The tiles of a row block (one unit each), and the
/// numbers computed on them, are therefore the same for every number of ranks. Ranks may have no rows.
class RowPartition {
 public:
  RowPartition() = default;
  /// @throws Error(internal) if rows < 0 or ranks < 1
  RowPartition(Index rows, int ranks);

  /// Rows per unit: a power of two between 16 and 1024, about rows / 1024.
  [[nodiscard]] static Index unit(Index rows);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] Range range(int rank) const;
  /// The rank that owns `row`, 0 <= row < rows().
  [[nodiscard]] int owner(Index row) const;

  friend bool operator==(const RowPartition&, const RowPartition&) = default;

 private:
  Index rows_ = 0;
  int ranks_ = 1;
};

}  // namespace cairn
