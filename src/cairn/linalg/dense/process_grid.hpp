// The 2-D grid of ranks that ScaLAPACK works on.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Shape of the grid of `ranks` ranks: as square as their number allows (a prime number of ranks gives 1 x p).
struct GridShape {
  explicit GridShape(int ranks);
  int rows, columns = 0;
};

/// A flat grid has at least as many columns as rows, a tall one at least as many rows.
enum class GridForm { flat, tall };

/// A BLACS grid of rows() x columns() ranks over all ranks of a communicator, of the shape above, or that turned. Every
/// rank is in it.
class ProcessGrid {
 public:
  /// @param form  ScaLAPACK factors a lower triangle faster on a flat grid (75 and 59 GFLOP/s on 2 ranks), an upper one
  ///   on a tall grid (40 and 80)
  /// Collective. `communicator` must outlive the grid.
  explicit ProcessGrid(const Communicator& communicator, GridForm form = GridForm::flat);
  ~ProcessGrid();
  ProcessGrid(const ProcessGrid&) = delete;
  ProcessGrid& operator=(const ProcessGrid&) = delete;

  [[nodiscard]] const Communicator& communicator() const { return communicator_; }
  [[nodiscard]] int context() const { return context_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int row() const { return row_; }
  [[nodiscard]] int column() const { return column_; }
  /// The rank at a position of the grid, which is filled row by row.
  [[nodiscard]] int rank_at(int row, int column) const { return row * columns_ + column; }

 private:
  const Communicator& communicator_;
  int handle_ = -1;
  int context_ = -1;
  int rows_ = 0, columns_ = 0, row_ = 0, column_ = 0;
};

}  // namespace cairn
