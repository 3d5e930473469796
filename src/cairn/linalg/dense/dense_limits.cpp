#include "cairn/linalg/dense/dense_limits.hpp"

#include <algorithm>

#include "cairn/linalg/dense/block_cyclic_layout.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/dense/local_singular.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

constexpr Index nb = BlockCyclicMatrix::block;

void require_workspace(const DenseSize& matrix, int ranks) {
  const auto [m, n, use] = matrix;
  const GridShape grid(ranks);
  if (use == DenseUse::eigen) {
    if (ranks == 1 || n <= serial_eigen_rows) {
      static_cast<void>(workspace_size(0.0, eigen_workspace(n), "dsyevd"));
    } else {
      static_cast<void>(workspace_size(0.0, detail::eigen_workspace_on_grid(n, grid).numbers, "pdsyevd"));
    }
  } else if (use == DenseUse::singular) {
    if (ranks == 1 || std::max(m, n) <= serial_singular_rows) {
      static_cast<void>(workspace_size(0.0, singular_workspace(m, n), "dgesdd"));
    } else {
      static_cast<void>(workspace_size(0.0, detail::singular_workspace_on_grid(m, n, grid), "pdgesvd"));
    }
  }
}

}  // namespace

void require_countable(const DenseSize& matrix, int ranks) {
  const GridShape grid(ranks);
  static_cast<void>(to_library_int(matrix.rows, "rows of a matrix"));
  static_cast<void>(to_library_int(matrix.columns, "columns of a matrix"));
  static_cast<void>(to_library_int(
      block_cyclic::count_below(matrix.rows, 0, grid.rows) * block_cyclic::count_below(matrix.columns, 0, grid.columns),
      "entries of a matrix on one rank"));
  require_workspace(matrix, ranks);
}

namespace detail {

EigenWorkspace eigen_workspace_on_grid(Index n, const GridShape& grid) {
  const Index np = block_cyclic::count_below(n, 0, grid.rows), nq = block_cyclic::count_below(n, 0, grid.columns);
  const Index tridiagonal_reduction = std::max(nb * (np + 1), 3 * nb);
  const Index divide_and_conquer = 6 * n + 2 * np * nq;
  const Index back_transformation = (np + nq + 2 * nb) * nb + nb * nb;
  const Index sorting = std::max(n, np * (nb + nq));
  const Index pieces = std::max({tridiagonal_reduction, divide_and_conquer, back_transformation, sorting});
  return {1 + 5 * n + pieces, std::max(7 * n + 8 * grid.columns + 2, n + 2 * nb + 2 * grid.columns)};
}

Index singular_workspace_on_grid(Index m, Index n, const GridShape& grid) {
  const Index size = std::min(m, n), longest = std::max(m, n);
  const auto rows_of = [&](Index count) { return block_cyclic::count_below(count, 0, grid.rows); };
  const auto columns_of = [&](Index count) { return block_cyclic::count_below(count, 0, grid.columns); };
  const Index mp = rows_of(m), nq = columns_of(n);
  const Index reduction = std::max(nb * (mp + nq + 1) + nq, longest);
  const Index ranks = static_cast<Index>(grid.rows) * grid.columns;
  const Index margin = nb * ranks;
  const Index rotated = size * ((m + margin) / ranks + (n + margin) / ranks);
  const Index bidiagonal = 4 * size;
  const Index back = std::max(nb * (nb - 1) / 2, (std::max(columns_of(size), rows_of(size)) + mp + nq) * nb);
  return 1 + 6 * longest + std::max(reduction, rotated + std::max(bidiagonal, back + nb * nb));
}

}  // namespace detail

}  // namespace cairn
