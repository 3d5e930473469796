// Columns of an approximation, some at a time.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// Columns of W Pᵀ that are held at once where tiles of W lie on disk.
inline constexpr Index columns_held_in_turn = 256;

/// approximate_columns of a list, a part at a time. Where tiles of W lie on disk, they are read once for 256 columns,
/// however few are asked for at a time: memory 2 KB a column of L beside what approximate_columns takes.
template <class T>
class ColumnsInTurn {
 public:
  /// @param columns  the same on every rank. `execution` and `approximation` outlive it.
  ColumnsInTurn(const Execution& execution, const Approximation<T>& approximation, std::vector<Index> columns)
      : execution_(execution), approximation_(approximation), columns_(std::move(columns)) {}

  /// The next `count` columns of the list, of which there must be as many. @throws as approximate_columns. Collective.
  [[nodiscard]] RowBlock<double> next(Index count);

 private:
  Execution execution_;
  const Approximation<T>& approximation_;
  std::vector<Index> columns_;
  Index next_ = 0;
  Buffer<double> products_;  // W P_jᵀ of the columns in held_, row-major
  Range held_{0, 0};
};

}  // namespace cairn
