// Batched access to columns of an approximation.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"

namespace cairn {

/// Number of columns of W Pᵀ held at once if tiles of W are on disk.
inline constexpr Index columns_held_in_turn = 256;

/// approximate_columns of a list, part by part. If tiles of W are on disk, they are read once per 256 columns, however
/// few are requested at a time: memory 2 KB per column of L besides that of approximate_columns.
template <class T>
class ColumnsInTurn {
 public:
  /// @param columns  the same on every rank. `execution` and `approximation` must outlive this.
  ColumnsInTurn(const Execution& execution, const Approximation<T>& approximation, std::vector<Index> columns)
      : execution_(execution), approximation_(approximation), columns_(std::move(columns)) {}

  /// The next `count` columns of the list, which must have as many left. @throws as approximate_columns. Collective.
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
