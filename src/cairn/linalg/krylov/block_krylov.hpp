// Many extreme eigenpairs of a symmetric operator that is cheap to multiply by several vectors at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Y = A X for a symmetric A and several vectors at once.
template <class T>
struct BlockOperator {
  RowPartition partition;
  /// Maps the own rows of X to those of Y. Called collectively; what it throws must be thrown on every rank.
  std::function<void(MatrixView<const T> x, MatrixView<T> y)> multiply;
};

struct BlockEigenRequest {
  Index count = 1;  ///< number of algebraically largest eigenvalues
  /// Bound on a residual ‖A v - λ v‖, relative to the largest magnitude of an eigenvalue. Directions that are linearly
  /// dependent to the root of rounding are replaced, so residuals are accurate to 1e-7 at best, in single precision
  /// 1e-5.
  double tolerance = 1e-4;
  Index block = 32;      ///< vectors that are multiplied at once
  Index most_basis = 0;  ///< vectors of the search space; 0: 16 count, at least count + 20 blocks
  /// Largest order of a projected matrix for which one rank finds the wanted pairs; of a larger one ScaLAPACK finds
  /// all.
  Index most_on_root = 3000;
  std::uint64_t seed = 0;  ///< for the start block (Stream::lanczos), the same on any number of ranks
  int threads = 1;         ///< BLAS threads
};

template <class T>
struct BlockEigenPairs {
  std::vector<double> values;     ///< descending, replicated
  RowBlock<T> vectors;            ///< n x count, column j belongs to values[j]; unit length
  std::vector<double> residuals;  ///< as the method estimates them
  double magnitude = 0;           ///< largest magnitude of an eigenvalue
  Index products = 0;             ///< number of vectors that were multiplied
  Index basis = 0;                ///< largest search space
  Index restarts = 0;
};

/// Block Lanczos with full orthogonalization and thick restarts [Golub and Underwood 1977; Wu and Simon 2000]: an
/// orthonormal basis V of span{Q, A Q, A² Q, ...}, Ritz pairs of Vᵀ A V. Nearly all of its work is products of A with
/// blocks and matrix products, which run at the speed of the processor; the multiplicity of an eigenvalue may be as
/// large as the block. Sums over ranks are taken in double precision.
///
/// If the search space would be the whole space, A is formed and decomposed instead (n² numbers over ranks).
///
/// In every column the entry of largest magnitude is positive (the first of those within 1e-3 of it in single, 1e-6 in
/// double precision).
/// Memory: n x most_basis numbers over ranks (only the part that is needed is touched), and 2 most_basis² doubles on
/// every rank. @param progress  name of the progress line; empty: none
/// @throws Error(internal) unless 1 <= count <= n; Error(numeric) if it does not converge in 100 restarts, or if the
/// operator's values are not finite; what the product throws. Collective.
template <class T>
[[nodiscard]] BlockEigenPairs<T> largest_eigenpairs(const Communicator& communicator, const BlockOperator<T>& product,
                                                    const BlockEigenRequest& request, const std::string& progress = "");

/// The value of most_basis for n rows, with 0 resolved. Local.
[[nodiscard]] Index search_space(const BlockEigenRequest& request, Index rows);

}  // namespace cairn
