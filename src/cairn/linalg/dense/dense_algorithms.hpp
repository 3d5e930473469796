// Dense algorithms on block-cyclic matrices: ScaLAPACK's, or LAPACK's on one rank where that is faster. All are
// collective over the grid's communicator, check ScaLAPACK's 32-bit workspace sizes before they call it
// (Error(resource)), and turn its failures into Error(numeric).
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// A = V diag(values) Vᵀ, values ascending, V orthogonal.
struct SymmetricEigen {
  std::vector<double> values;  ///< replicated
  BlockCyclicMatrix vectors;   ///< column j belongs to values[j]
};

/// Up to this many rows an eigen-decomposition runs in LAPACK on one rank: on 2 ranks dsyevd took 0.030 s where pdsyevd
/// took 0.105 s at 500 rows, 0.17 and 0.15 s at 1,000, 3.5 and 2.6 s at 3,000.
inline constexpr Index serial_eigen_rows = 1000;

/// Eigen-decomposition of a symmetric matrix, of which the lower triangle is read: pdsyevd, or dsyevd on one rank up to
/// serial_eigen_rows or where there is one rank only. `matrix` is consumed. Memory: 4 s² / ranks doubles, or all of
/// them on rank 0.
/// @throws Error(numeric) if it fails to converge, as with entries that are not finite
[[nodiscard]] SymmetricEigen eigen_symmetric(BlockCyclicMatrix matrix);

/// Smallest eigenvalue of a symmetric s x s matrix of which both triangles are filled: by LAPACK on one rank up to
/// lanczos_threshold rows, by SLEPc's Krylov-Schur above, to a residual of 1e-10 times the 1-norm of the matrix.
/// @param seed  of the start vector, which is the same on any number of ranks
/// @throws Error(numeric) if Lanczos does not converge to that
[[nodiscard]] double smallest_eigenvalue(const BlockCyclicMatrix& matrix, std::uint64_t seed);
/// Above this a full decomposition costs more than Lanczos' matrix products on the platform that was measured.
inline constexpr Index lanczos_threshold = 2000;
/// Starts what smallest_eigenvalue of a matrix with so many rows needs, so that a run does not miss it late.
/// Collective.
/// @throws Error(resource) if it is not there
void prepare_smallest_eigenvalue(const Communicator& communicator, Index rows);
/// Bytes per rank of what that starts. Local.
[[nodiscard]] Index smallest_eigenvalue_libraries(Index rows);
[[nodiscard]] double smallest_eigenvalue_lanczos(const BlockCyclicMatrix& matrix, std::uint64_t seed);

/// A = U diag(values) Vᵀ, values descending, thin: U m x r, V n x r, r = min(m, n).
struct SingularValues {
  BlockCyclicMatrix left;
  std::vector<double> values;  ///< replicated
  BlockCyclicMatrix right;
};

/// The same for the longer side of a singular value decomposition: on 2 ranks dgesdd was 3.5 to 5 times as fast as
/// pdgesvd at 500, 1,000 and 2,000 rows. The limit is the half gigabyte that rank 0 then needs.
inline constexpr Index serial_singular_rows = 3000;

/// Singular value decomposition: pdgesvd, or dgesdd on one rank up to serial_singular_rows or where there is one rank
/// only. `matrix` is consumed. @throws Error(numeric) if it fails to converge, as with entries that are not finite
[[nodiscard]] SingularValues singular_value_decomposition(BlockCyclicMatrix matrix);

/// Lower Cholesky factor of a symmetric positive definite matrix (pdpotrf), upper triangle zeroed.
/// @return false, with `matrix` spoilt, if it is not positive definite
[[nodiscard]] bool cholesky(BlockCyclicMatrix& matrix);

/// 1-norm (largest column sum of magnitudes), Frobenius norm, largest magnitude of an entry.
[[nodiscard]] double one_norm(const BlockCyclicMatrix& matrix);
[[nodiscard]] double largest_magnitude(const BlockCyclicMatrix& matrix);
[[nodiscard]] double frobenius_norm(const BlockCyclicMatrix& matrix);

/// C = alpha op(A) op(B), op the transpose where the flag says so (pdgemm).
[[nodiscard]] BlockCyclicMatrix multiply(const BlockCyclicMatrix& a, bool transpose_a, const BlockCyclicMatrix& b,
                                         bool transpose_b, double alpha = 1.0);

/// Aᵀ.
[[nodiscard]] BlockCyclicMatrix transpose(const BlockCyclicMatrix& matrix);

/// The columns of `matrix` in `keep` (global numbers, ascending), each multiplied by the scale beside it. Collective.
[[nodiscard]] BlockCyclicMatrix scale_columns(const BlockCyclicMatrix& matrix, const std::vector<Index>& keep,
                                              const std::vector<double>& scales);

/// Bytes of A that multiply_tall holds on every rank beside the result, A p x k: what a plan counts. Local.
[[nodiscard]] Index replicated_bytes_of_product(Index p, Index k);

/// Tall times small: out = C · A, each rank for its own rows, A's columns replicated a panel at a time; local GEMM with
/// `threads` threads. A: C.columns() x k. Memory beside the result: A whole if that is 64 MB or less, else one panel
/// (A.rows() x 256 doubles); the same again while it is gathered. Collective.
template <class T>
[[nodiscard]] RowBlock<T> multiply_tall(const RowBlock<T>& tall, const BlockCyclicMatrix& a, int threads);

/// C = C · F^(-T) in place, F a lower triangular k x k factor (from cholesky). Collective.
template <class T>
void solve_tall_in_place(RowBlock<T>& tall, const BlockCyclicMatrix& factor, int threads);

/// CᵀC or CᵀD as a block-cyclic matrix: local products, summed over ranks a panel of 256 columns at a time (all at once
/// up to 64 MB). Sums are taken in double precision whatever T is. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& left,
                                     const RowBlock<T>& right, int threads);

/// Threads of the BLAS of this process. Does nothing if the BLAS has no such call.
void set_blas_threads(int threads);

}  // namespace cairn
