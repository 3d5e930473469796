#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/dense_limits.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/dense/redistribution.hpp"
#include "cairn/linalg/dense/small_on_root.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

namespace {

constexpr int one = 1;

void require_square(const BlockCyclicMatrix& matrix) {
  if (matrix.rows() != matrix.columns())
    throw Error(ErrorKind::internal, "the eigenvalues of a matrix that is not square are asked for");
}

/// Operations of tridiagonal reduction, divide and conquer, and back-transformation.
double eigen_operations(Index size) { return 9.0 * static_cast<double>(size * size) * static_cast<double>(size); }

void check(int info, const char* routine) {
  if (info < 0) throw Error(ErrorKind::internal, std::string(routine) + " rejects argument " + std::to_string(-info));
  if (info > 0)
    throw Error(ErrorKind::numeric, std::string(routine) + " found no eigenvalues (it returns " + std::to_string(info) +
                                        "): does the matrix hold entries that are not finite?");
}

}  // namespace

namespace detail {

SymmetricEigen eigen_symmetric_on_root(BlockCyclicMatrix matrix) {
  const Communicator& communicator = matrix.grid().communicator();
  const Watchdog::Patience patience(silent_seconds(eigen_operations(matrix.rows()), 1));
  const bool alone = communicator.size() == 1;
  Buffer<double> whole = alone ? Buffer<double>() : gather_on_root(matrix);
  std::vector<double> values = collectively(communicator, [&] {
    if (!communicator.is_root()) return std::vector<double>();
    return eigen_in_place(matrix.rows(), alone ? matrix.data() : whole.data());
  });
  communicator.broadcast(values, 0);
  if (alone) return {std::move(values), std::move(matrix)};
  return {std::move(values), scatter_from_root(matrix.shared_grid(), matrix.rows(), matrix.rows(), whole)};
}

SymmetricEigen eigen_symmetric_on_grid(BlockCyclicMatrix matrix) {
  const ProcessGrid& grid = matrix.grid();
  const int n = static_cast<int>(matrix.rows());
  SymmetricEigen result{std::vector<double>(static_cast<std::size_t>(n)),
                        BlockCyclicMatrix(matrix.shared_grid(), matrix.rows(), matrix.rows())};
  int info = 0;
  const auto solve = [&](double* work, int length, int* integer_work, int integer_length) {
    pdsyevd_("V", "L", &n, matrix.data(), &one, &one, matrix.descriptor().data(), result.values.data(),
             result.vectors.data(), &one, &one, result.vectors.descriptor().data(), work, &length, integer_work,
             &integer_length, &info);
  };
  double queried = 0.0;
  int integers = 0;
  solve(&queried, -1, &integers, -1);
  struct Workspace {
    Buffer<double> numbers;
    Buffer<int> integers;
  };
  Workspace work = collectively(grid.communicator(), [&] {
    check(info, "pdsyevd");
    const EigenWorkspace documented = eigen_workspace_on_grid(matrix.rows(), GridShape(grid.communicator().size()));
    return Workspace{Buffer<double>(workspace_size(queried, documented.numbers, "pdsyevd")),
                     Buffer<int>(workspace_size(integers, documented.integers, "pdsyevd"))};
  });
  {
    const Watchdog::Patience patience(silent_seconds(eigen_operations(n), grid.communicator().size()));
    solve(work.numbers.data(), static_cast<int>(work.numbers.size()), work.integers.data(),
          static_cast<int>(work.integers.size()));
  }
  collectively(grid.communicator(), [&] { check(info, "pdsyevd"); });
  // A matrix of one block is solved by its owner, which keeps the values to itself.
  grid.communicator().broadcast(std::span(result.values), 0);
  return result;
}

std::vector<double> eigenvalues_on_root(const BlockCyclicMatrix& matrix) {
  require_square(matrix);
  const Communicator& communicator = matrix.grid().communicator();
  const Watchdog::Patience patience(silent_seconds(eigen_operations(matrix.rows()), 1));
  Buffer<double> whole = gather_on_root(matrix);
  std::vector<double> values = collectively(communicator, [&] {
    return communicator.is_root() && matrix.rows() > 0 ? eigenvalues_in_place(matrix.rows(), whole.data())
                                                       : std::vector<double>();
  });
  communicator.broadcast(values, 0);
  return values;
}

// By a tridiagonal form and bisection.
double smallest_eigenvalue_on_grid(BlockCyclicMatrix matrix) {
  const Communicator& communicator = matrix.grid().communicator();
  const int n = static_cast<int>(matrix.rows()), ranks = communicator.size();
  const double none = 0.0;
  int found = 0, vectors = 0, info = 0;
  struct Workspace {
    std::vector<double> values, gaps, numbers;
    std::vector<int> integers, failed, clusters;
  };
  Workspace work = collectively(communicator, [&] {
    const auto order = static_cast<std::size_t>(n), all = static_cast<std::size_t>(ranks);
    return Workspace{std::vector<double>(order), std::vector<double>(all), {}, {},
                     std::vector<int>(order),    std::vector<int>(2 * all)};
  });
  const auto solve = [&](double* numbers, int length, int* integers, int integer_length) {
    pdsyevx_("N", "I", "L", &n, matrix.data(), &one, &one, matrix.descriptor().data(), &none, &none, &one, &one, &none,
             &found, &vectors, work.values.data(), &none, matrix.data(), &one, &one, matrix.descriptor().data(),
             numbers, &length, integers, &integer_length, work.failed.data(), work.clusters.data(), work.gaps.data(),
             &info);
  };
  std::array<double, 3> queried{};
  int integers = 0;
  solve(queried.data(), -1, &integers, -1);
  collectively(communicator, [&] {
    check(info, "pdsyevx");
    work.numbers.resize(static_cast<std::size_t>(queried.front()));
    work.integers.resize(static_cast<std::size_t>(integers));
  });
  {
    const Watchdog::Patience patience(silent_seconds(eigen_operations(n), ranks));
    solve(work.numbers.data(), static_cast<int>(work.numbers.size()), work.integers.data(),
          static_cast<int>(work.integers.size()));
  }
  collectively(communicator, [&] { check(found == 1 ? info : std::max(info, 1), "pdsyevx"); });
  communicator.broadcast(std::span(work.values.data(), 1), 0);
  return work.values.front();
}

}  // namespace detail

namespace {

bool is_serial(const ProcessGrid& grid, Index rows) {
  return grid.communicator().size() == 1 || rows <= serial_eigen_rows;
}

}  // namespace

SymmetricEigen eigen_symmetric(BlockCyclicMatrix matrix) {
  require_square(matrix);
  if (matrix.rows() == 0) return {{}, std::move(matrix)};
  return is_serial(matrix.grid(), matrix.rows()) ? detail::eigen_symmetric_on_root(std::move(matrix))
                                                 : detail::eigen_symmetric_on_grid(std::move(matrix));
}

double smallest_eigenvalue(BlockCyclicMatrix matrix, std::uint64_t seed) {
  require_square(matrix);
  if (matrix.rows() == 0) throw Error(ErrorKind::internal, "an empty matrix has no smallest eigenvalue");
  if (matrix.rows() <= lanczos_threshold) return detail::eigenvalues_on_root(matrix).front();
  if (!has_petsc()) return detail::smallest_eigenvalue_on_grid(std::move(matrix));
  constexpr int few_restarts = 200;
  try {
    return smallest_eigenvalue_lanczos(matrix, seed, few_restarts);
  } catch (const Error& error) {  // on every rank
    if (error.kind() != ErrorKind::numeric) throw;
  }
  return detail::smallest_eigenvalue_on_grid(std::move(matrix));
}

void prepare_smallest_eigenvalue(const Communicator& communicator, Index rows) {
  if (rows > lanczos_threshold && has_petsc()) start_slepc(communicator);
}

Index smallest_eigenvalue_libraries(Index rows) { return rows > lanczos_threshold ? slepc_bytes() : 0; }

}  // namespace cairn
