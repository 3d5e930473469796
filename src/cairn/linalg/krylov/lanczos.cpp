// The smallest eigenvalue of a dense matrix from its products only.
#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/krylov/krylov_schur.hpp"
#include "cairn/linalg/tall/vector_products.hpp"

namespace cairn {

namespace {

/// Residual of the eigenpair relative to the 1-norm of the matrix: an eigenvalue lies at least that close.
constexpr double tolerance = 1e-10;

// y = A x. Local vectors are as long as the matrix has rows, so that one rank may hold a whole vector.
SymmetricOperator operator_of(const BlockCyclicMatrix& matrix) {
  const Communicator& communicator = matrix.grid().communicator();
  const RowPartition partition(matrix.rows(), communicator.size());
  const Range own = partition.range(communicator.rank());
  return {partition, [&matrix, &communicator, own](const double* x, double* y) {
            std::vector<double> whole(matrix.rows());
            std::copy_n(x, own.size(), whole.begin() + own.begin);
            communicator.sum(std::span(whole));
            whole = multiply_vector(matrix, false, whole);
            std::copy_n(whole.begin() + own.begin, own.size(), y);
          }};
}

}  // namespace

double smallest_eigenvalue_lanczos(const BlockCyclicMatrix& matrix, std::uint64_t seed, int restarts) {
  if (matrix.rows() != matrix.columns() || matrix.rows() == 0)
    throw Error(ErrorKind::internal, "the smallest eigenvalue of an empty or not square matrix is asked for");
  const double norm = one_norm(matrix);
  if (norm == 0.0) return 0.0;
  const EigenRequest request{
      .end = EigenRequest::End::smallest, .tolerance = tolerance, .scale = norm, .seed = seed, .restarts = restarts};
  return extreme_eigenpairs(matrix.grid().communicator(), operator_of(matrix), request).values.front();
}

}  // namespace cairn
