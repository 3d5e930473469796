// Dense algorithms on block-cyclic matrices: by ScaLAPACK, or by LAPACK on one rank where that is faster. All are
// collective over the grid's communicator, check ScaLAPACK's 32-bit workspace sizes before the call (Error(resource)),
// and report its failures as Error(numeric).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"

namespace cairn {

/// A = V diag(values) Vᵀ, values ascending, V orthogonal.
struct SymmetricEigen {
  std::vector<double> values;  ///< replicated
  BlockCyclicMatrix vectors;   ///< column j belongs to values[j]
};

/// Up to this many rows an eigen-decomposition runs in LAPACK on one rank: on 2 ranks dsyevd took 0.030 s where pdsyevd
/// took 0.105 s at 500 rows, 0.17 and 0.15 s at 1,000, 3.5 and 2.6 s at 3,000.
inline constexpr Index serial_eigen_rows = 1000;

/// Eigen-decomposition of a symmetric matrix, reading its lower triangle: pdsyevd, or dsyevd on one rank up to
/// serial_eigen_rows or if there is only one rank. `matrix` is consumed. Memory: 4 s² / ranks doubles, or all of them
/// on rank 0.
/// @throws Error(numeric) if it fails to converge, as with entries that are not finite
[[nodiscard]] SymmetricEigen eigen_symmetric(BlockCyclicMatrix matrix);

/// Smallest eigenvalue of a symmetric s x s matrix with both triangles filled: by LAPACK on one rank up to
/// lanczos_threshold rows, by SLEPc's Krylov-Schur above, to a residual of 1e-10 times the 1-norm of the matrix. Where
/// many eigenvalues lie close to the smallest one, as those of a definite matrix may, Lanczos' method takes more steps
/// than a tridiagonal form: it ends after 200 restarts, and pdsyevx finds the value. `matrix` is consumed.
/// @param seed  of the start vector, which is the same on any number of ranks
/// @throws Error(numeric) if neither converges, as with entries that are not finite
[[nodiscard]] double smallest_eigenvalue(BlockCyclicMatrix matrix, std::uint64_t seed);
/// Above this size, a full decomposition costs more than the matrix products of Lanczos on the measured platform.
inline constexpr Index lanczos_threshold = 2000;
/// Starts the libraries that smallest_eigenvalue needs for `rows` rows, so that a run does not fail late without them.
/// Collective.
/// @throws Error(resource) if they are missing
void prepare_smallest_eigenvalue(const Communicator& communicator, Index rows);
/// Bytes per rank of these libraries. Local.
[[nodiscard]] Index smallest_eigenvalue_libraries(Index rows);
/// @throws Error(numeric) if it takes more than `restarts`
[[nodiscard]] double smallest_eigenvalue_lanczos(const BlockCyclicMatrix& matrix, std::uint64_t seed,
                                                 int restarts = 2000);

/// A = U diag(values) Vᵀ, values descending, thin: U m x r, V n x r, r = min(m, n).
struct SingularValues {
  BlockCyclicMatrix left;
  std::vector<double> values;  ///< replicated
  BlockCyclicMatrix right;
};

/// Limit on the longer side for a singular value decomposition on one rank: on 2 ranks dgesdd was 3.5 to 5 times as
/// fast as pdgesvd at 500, 1,000 and 2,000 rows. Rank 0 then needs half a gigabyte, hence the limit.
inline constexpr Index serial_singular_rows = 3000;

/// Singular value decomposition: pdgesvd, or dgesdd on one rank up to serial_singular_rows or if there is only one
/// rank. `matrix` is consumed. @throws Error(numeric) if it fails to converge, as with entries that are not finite
[[nodiscard]] SingularValues singular_value_decomposition(BlockCyclicMatrix matrix);

/// A triangle of order n in an n x k matrix: its diagonal begins at `first_column`, a multiple of the block. A lower
/// one at 0 and an upper one at BlockCyclicMatrix::block share no entry, so that n x (n + block) numbers hold both.
struct TrianglePlace {
  bool upper = false;
  Index first_column = 0;
};

/// Cholesky factor of a symmetric positive definite matrix of which a triangle is given (pdpotrf), in its place: F of
/// A = F Fᵀ in the lower one, with zeros above it, or R of A = Rᵀ R in the upper one.
/// @return false, with the triangle overwritten, if A is not positive definite
[[nodiscard]] bool cholesky(BlockCyclicMatrix& matrix, TrianglePlace triangle = {});

/// A⁻¹ = F⁻ᵀ F⁻¹, both triangles, of A = F Fᵀ with F from cholesky() (pdpotri).
[[nodiscard]] BlockCyclicMatrix cholesky_inverse(BlockCyclicMatrix factor);

/// F⁻ᵀ, F lower triangular from cholesky() (pdtrtri).
[[nodiscard]] BlockCyclicMatrix inverse_transpose(BlockCyclicMatrix factor);

/// Replaces a lower triangular F by the lower triangle of Fᵀ F, or an upper U by the upper triangle of U Uᵀ (pdlauum):
/// a third of the operations of a product.
void multiply_by_transpose(BlockCyclicMatrix& matrix, TrianglePlace triangle = {});

/// Copies Fᵀ, F the lower triangle of `lower`, to the upper triangle of `to` at `first_column`. `to` may be `lower` if
/// first_column is BlockCyclicMatrix::block or more. What is below that triangle in its blocks is overwritten.
void copy_transpose_of_lower(const BlockCyclicMatrix& lower, BlockCyclicMatrix& to, Index first_column);

/// Replaces B by A⁻¹ B, where A has the factor from cholesky() in a triangle of `factor` (pdpotrs).
void cholesky_solve(const BlockCyclicMatrix& factor, BlockCyclicMatrix& right_hand_sides, TrianglePlace triangle = {});

/// Replaces B by F⁻¹ B, or by F⁻ᵀ B if `transposed`, F lower triangular from cholesky() (pdtrsm).
void solve_lower(const BlockCyclicMatrix& factor, bool transposed, BlockCyclicMatrix& right_hand_sides);

/// 1-norm (largest column sum of magnitudes), Frobenius norm, largest magnitude of an entry.
[[nodiscard]] double one_norm(const BlockCyclicMatrix& matrix);
[[nodiscard]] double largest_magnitude(const BlockCyclicMatrix& matrix);
[[nodiscard]] double frobenius_norm(const BlockCyclicMatrix& matrix);

/// Sum of the diagonal of a square matrix.
[[nodiscard]] double trace(const BlockCyclicMatrix& matrix);

/// C = alpha op(A) op(B); op transposes if its flag is set (pdgemm).
[[nodiscard]] BlockCyclicMatrix multiply(const BlockCyclicMatrix& a, bool transpose_a, const BlockCyclicMatrix& b,
                                         bool transpose_b, double alpha = 1.0);

/// Aᵀ.
[[nodiscard]] BlockCyclicMatrix transpose(const BlockCyclicMatrix& matrix);

/// The columns of `matrix` in `keep` (global numbers, ascending), each multiplied by its entry of `scales`. Collective.
[[nodiscard]] BlockCyclicMatrix scale_columns(const BlockCyclicMatrix& matrix, const std::vector<Index>& keep,
                                              const std::vector<double>& scales);

/// Bytes of A, p x k, that multiply_tall holds on every rank beside the result; used by plans. Local.
[[nodiscard]] Index replicated_bytes_of_product(Index p, Index k);

/// select_rows of a matrix that may be held as integers. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix select_rows(std::shared_ptr<const ProcessGrid> grid, const TallMatrix<T>& tall,
                                            std::span<const Index> pick) {
  return tall.visit([&](const auto& rows) { return select_rows(std::move(grid), rows, pick); });
}

/// Tall times small: out = C · A, each rank for its own rows, A's columns replicated a panel at a time; local GEMM with
/// `threads` threads. A: C.columns() x k. Memory beside the result: A whole if that is 64 MB or less, else one panel
/// (A.rows() x 256 doubles); the same again while it is gathered. Collective.
template <class T>
[[nodiscard]] RowBlock<T> multiply_tall(const RowBlock<T>& tall, const BlockCyclicMatrix& a, int threads);

/// The same of a matrix that may be held as integers. Memory: 16,384 rows of T meanwhile. Collective.
template <class T>
[[nodiscard]] RowBlock<T> multiply_tall(const TallMatrix<T>& tall, const BlockCyclicMatrix& a, int threads);

/// C = C · F^(-T) in place, F a lower triangular k x k factor (from cholesky). Collective.
template <class T>
void solve_tall_in_place(RowBlock<T>& tall, const BlockCyclicMatrix& factor, int threads);

/// CᵀC or CᵀD as a block-cyclic matrix: local products, summed over ranks a panel of 256 columns at a time (all at once
/// up to 64 MB). Sums are taken in double precision whatever T is. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, const RowBlock<T>& left,
                                     const RowBlock<T>& right, int threads);

/// The same of a matrix that may be held as integers. Memory: 16,384 rows in double precision meanwhile. Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, const TallMatrix<T>& tall, int threads) {
  return tall.visit([&](const auto& rows) { return gram(std::move(grid), rows, rows, threads); });
}

/// Sets the number of BLAS threads of this process. No effect if the BLAS has no such function.
void set_blas_threads(int threads);

}  // namespace cairn
