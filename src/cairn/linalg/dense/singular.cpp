#include <algorithm>
#include <string>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/dense/local_singular.hpp"
#include "cairn/linalg/dense/redistribution.hpp"
#include "cairn/linalg/dense/small_on_root.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

constexpr int one = 1;

/// Operations of bidiagonal reduction, its decomposition, and back-transformation, for m x n with m >= n.
double singular_operations(Index m, Index n) {
  return 22.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

void check(int info, const char* routine) {
  if (info < 0) throw Error(ErrorKind::internal, std::string(routine) + " rejects argument " + std::to_string(-info));
  if (info > 0)
    throw Error(ErrorKind::numeric, std::string(routine) + " found no singular values (it returns " +
                                        std::to_string(info) + "): does the matrix hold entries that are not finite?");
}

}  // namespace

namespace detail {

SingularValues singular_values_on_root(BlockCyclicMatrix matrix) {
  const Communicator& communicator = matrix.grid().communicator();
  const Index m = matrix.rows(), n = matrix.columns(), r = std::min(m, n);
  const Watchdog::Patience patience(silent_seconds(singular_operations(m, n), 1));
  Buffer<double> whole = gather_on_root(matrix);
  LocalSingular local = collectively(communicator, [&] {
    return communicator.is_root() ? local_singular_values(m, n, whole.data()) : LocalSingular();
  });
  communicator.broadcast(local.values, 0);
  BlockCyclicMatrix left = scatter_from_root(matrix.shared_grid(), m, r, local.u);
  return {std::move(left), std::move(local.values), transpose(scatter_from_root(matrix.shared_grid(), r, n, local.vt))};
}

SingularValues singular_values_on_grid(BlockCyclicMatrix matrix) {
  const auto& grid = matrix.shared_grid();
  const Communicator& communicator = grid->communicator();
  const int m = static_cast<int>(matrix.rows()), n = static_cast<int>(matrix.columns()), r = std::min(m, n);
  SingularValues result{BlockCyclicMatrix(grid, m, r), std::vector<double>(static_cast<std::size_t>(r)),
                        BlockCyclicMatrix(grid, 0, 0)};
  BlockCyclicMatrix vt(grid, r, n);
  int info = 0;
  const auto solve = [&](double* work, int length) {
    pdgesvd_("V", "V", &m, &n, matrix.data(), &one, &one, matrix.descriptor().data(), result.values.data(),
             result.left.data(), &one, &one, result.left.descriptor().data(), vt.data(), &one, &one,
             vt.descriptor().data(), work, &length, &info);
  };
  double queried = 0.0;
  solve(&queried, -1);
  Buffer<double> work = collectively(communicator, [&] {
    check(info, "pdgesvd");
    const Index documented =
        singular_workspace_on_grid(matrix.rows(), matrix.columns(), GridShape(communicator.size()));
    return Buffer<double>(workspace_size(queried, documented, "pdgesvd"));
  });
  {
    const Watchdog::Patience patience(silent_seconds(singular_operations(m, n), communicator.size()));
    solve(work.data(), static_cast<int>(work.size()));
  }
  collectively(communicator, [&] { check(info, "pdgesvd"); });
  result.right = transpose(vt);
  return result;
}

}  // namespace detail

SingularValues singular_value_decomposition(BlockCyclicMatrix matrix) {
  const Index m = matrix.rows(), n = matrix.columns();
  if (std::min(m, n) == 0)
    return {BlockCyclicMatrix(matrix.shared_grid(), m, 0), {}, BlockCyclicMatrix(matrix.shared_grid(), n, 0)};
  const bool serial = matrix.grid().communicator().size() == 1 || std::max(m, n) <= serial_singular_rows;
  return serial ? detail::singular_values_on_root(std::move(matrix))
                : detail::singular_values_on_grid(std::move(matrix));
}

}  // namespace cairn
