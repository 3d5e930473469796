// Products, transposes and norms of block-cyclic matrices.
#include <algorithm>
#include <cmath>
#include <string>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/block_cyclic_layout.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/fortran.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

constexpr int one = 1;

/// Bytes of the entries that a rank sends in one round of scale_columns.
constexpr Index round_bytes = Index{64} << 20;

}  // namespace

BlockCyclicMatrix multiply(const BlockCyclicMatrix& a, bool transpose_a, const BlockCyclicMatrix& b, bool transpose_b,
                           double alpha) {
  const Index rows = transpose_a ? a.columns() : a.rows();
  const Index inner = transpose_a ? a.rows() : a.columns();
  const Index columns = transpose_b ? b.rows() : b.columns();
  if (inner != (transpose_b ? b.columns() : b.rows()))
    throw Error(ErrorKind::internal,
                "a product of a matrix with " + std::to_string(inner) + " columns and one with another number of rows");
  BlockCyclicMatrix c(a.shared_grid(), rows, columns);
  std::fill_n(c.data(), c.local_rows() * c.local_columns(), 0.0);
  if (rows == 0 || columns == 0 || inner == 0) return c;
  const int m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(inner);
  const double zero = 0.0;
  const Watchdog::Patience patience(
      silent_seconds(2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner),
                     a.grid().communicator().size()));
  pdgemm_(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &alpha, a.data(), &one, &one,
          a.descriptor().data(), b.data(), &one, &one, b.descriptor().data(), &zero, c.data(), &one, &one,
          c.descriptor().data());
  return c;
}

BlockCyclicMatrix transpose(const BlockCyclicMatrix& matrix) {
  BlockCyclicMatrix result(matrix.shared_grid(), matrix.columns(), matrix.rows());
  if (matrix.rows() == 0 || matrix.columns() == 0) return result;
  std::fill_n(result.data(), result.local_rows() * result.local_columns(), 0.0);
  const int m = static_cast<int>(result.rows()), n = static_cast<int>(result.columns());
  const double alpha = 1.0, beta = 0.0;
  pdtran_(&m, &n, &alpha, matrix.data(), &one, &one, matrix.descriptor().data(), &beta, result.data(), &one, &one,
          result.descriptor().data());
  return result;
}

BlockCyclicMatrix scale_columns(const BlockCyclicMatrix& matrix, const std::vector<Index>& keep,
                                const std::vector<double>& scales) {
  const ProcessGrid& grid = matrix.grid();
  const Communicator& communicator = grid.communicator();
  const auto kept = static_cast<Index>(keep.size());
  collectively(communicator, [&] {
    if (scales.size() != keep.size()) throw Error(ErrorKind::internal, "there must be as many scales as columns");
    for (const Index j : keep)
      if (j < 0 || j >= matrix.columns())
        throw Error(ErrorKind::internal, "a column to be kept is outside of the matrix");
  });
  BlockCyclicMatrix result(matrix.shared_grid(), matrix.rows(), kept);
  // Rows stay in place: a column moves within a row of the grid.
  const auto rank_of = [&](Index column) {
    return static_cast<std::size_t>(grid.rank_at(grid.row(), block_cyclic::owner(column, grid.columns())));
  };
  const Index most_rows = block_cyclic::count_below(matrix.rows(), 0, grid.rows());
  const Index step = std::max<Index>(1, round_bytes / 8 / std::max<Index>(1, most_rows));
  for (Index begin = 0; begin < kept; begin += step) {
    const Index end = std::min(begin + step, kept);
    std::vector<std::vector<double>> send(communicator.size());
    for (Index t = begin; t < end; ++t) {
      const Index from = keep[t];
      if (block_cyclic::owner(from, grid.columns()) != grid.column()) continue;
      const Index j = block_cyclic::to_local(from, grid.columns());
      auto& message = send[rank_of(t)];
      for (Index i = 0; i < matrix.local_rows(); ++i) message.push_back(matrix.local(i, j) * scales[t]);
    }
    const auto received = communicator.exchange(send);
    std::vector<const double*> next;
    for (const auto& message : received) next.push_back(message.data());
    for (Index t = begin; t < end; ++t) {
      if (block_cyclic::owner(t, grid.columns()) != grid.column()) continue;
      const double*& from = next[rank_of(keep[t])];
      std::copy_n(from, result.local_rows(), &result.local(0, block_cyclic::to_local(t, grid.columns())));
      from += result.local_rows();
    }
  }
  return result;
}

double one_norm(const BlockCyclicMatrix& matrix) {
  std::vector<double> sums(matrix.columns(), 0.0);
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    double& sum = sums[matrix.global_column(j)];
    for (Index i = 0; i < matrix.local_rows(); ++i) sum += std::abs(matrix.local(i, j));
  }
  matrix.grid().communicator().sum(std::span(sums));
  return sums.empty() ? 0.0 : *std::max_element(sums.begin(), sums.end());
}

double trace(const BlockCyclicMatrix& matrix) {
  double sum = 0.0;
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) {
      if (matrix.global_row(i) == matrix.global_column(j)) sum += matrix.local(i, j);
    }
  }
  return matrix.grid().communicator().sum(sum);
}

double largest_magnitude(const BlockCyclicMatrix& matrix) {
  double largest = 0.0;
  for (Index j = 0; j < matrix.local_columns(); ++j)
    for (Index i = 0; i < matrix.local_rows(); ++i) largest = std::max(largest, std::abs(matrix.local(i, j)));
  return matrix.grid().communicator().maximum(largest);
}

double frobenius_norm(const BlockCyclicMatrix& matrix) {
  // Squares of entries beyond 1e154 would overflow, and those below 1e-154 underflow.
  const double scale = largest_magnitude(matrix);
  if (scale == 0.0 || !std::isfinite(scale)) return scale;
  double squares = 0.0;
  for (Index j = 0; j < matrix.local_columns(); ++j)
    for (Index i = 0; i < matrix.local_rows(); ++i) squares += std::pow(matrix.local(i, j) / scale, 2);
  return scale * std::sqrt(matrix.grid().communicator().sum(squares));
}

}  // namespace cairn
