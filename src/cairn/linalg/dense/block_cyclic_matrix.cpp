#include "cairn/linalg/dense/block_cyclic_matrix.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

BlockCyclicMatrix::BlockCyclicMatrix(std::shared_ptr<const ProcessGrid> grid, Index rows, Index columns)
    : grid_(std::move(grid)), rows_(rows), columns_(columns) {
  values_ = collectively(grid_->communicator(), [&] {
    const int m = to_library_int(rows, "rows of a matrix");
    const int n = to_library_int(columns, "columns of a matrix");
    local_rows_ = block_cyclic::count_below(rows, grid_->row(), grid_->rows());
    local_columns_ = block_cyclic::count_below(columns, grid_->column(), grid_->columns());
    static_cast<void>(to_library_int(local_rows_ * local_columns_, "entries of a matrix on one rank"));
    const int edge = block, first = 0, context = grid_->context(), lead = static_cast<int>(leading());
    int info = 0;
    descinit_(descriptor_.data(), &m, &n, &edge, &edge, &first, &first, &context, &lead, &info);
    if (info != 0) throw Error(ErrorKind::internal, "descinit rejects argument " + std::to_string(-info));
    // PBLAS needs a valid address even if there is no entry to read.
    return Buffer<double>(std::max(local_rows_ * local_columns_, Index{1}));
  });
}

Index BlockCyclicMatrix::global_row(Index local) const {
  return block_cyclic::to_global(local, grid_->row(), grid_->rows());
}

Index BlockCyclicMatrix::global_column(Index local) const {
  return block_cyclic::to_global(local, grid_->column(), grid_->columns());
}

BlockCyclicMatrix BlockCyclicMatrix::copy() const {
  BlockCyclicMatrix result(grid_, rows_, columns_);
  std::copy_n(data(), local_rows_ * local_columns_, result.data());
  return result;
}

}  // namespace cairn
