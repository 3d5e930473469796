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

/// Y = A X for a symmetric A and a few vectors at once.
template <class T>
struct BlockOperator {
  RowPartition partition;
  /// From the own rows of X to those of Y. Called collectively; what it throws must be thrown on every rank.
  std::function<void(MatrixView<const T> x, MatrixView<T> y)> multiply;
};

struct BlockEigenRequest {
  Index count = 1;  ///< of the algebraically largest eigenvalues
  /// Of a residual ‖A v - λ v‖, relative to the largest magnitude of an eigenvalue. Directions that depend on others to
  /// the root of rounding are replaced, so that residuals are known no better than to 1e-7, in single precision 1e-5.
  double tolerance = 1e-4;
  Index block = 32;      ///< vectors that are multiplied at once
  Index most_basis = 0;  ///< vectors of the search space; 0: 16 count, at least count + 20 blocks
  /// Order of a projected matrix of which one rank finds the wanted pairs; of a larger one ScaLAPACK finds all.
  Index most_on_root = 3000;
  std::uint64_t seed = 0;  ///< of the start block (Stream::lanczos), the same on any number of ranks
  int threads = 1;         ///< of the BLAS
};

template <class T>
struct BlockEigenPairs {
  std::vector<double> values;     ///< descending, replicated
  RowBlock<T> vectors;            ///< n x count, column j belongs to values[j]; of length 1
  std::vector<double> residuals;  ///< as the method estimates them
  double magnitude = 0;           ///< of the largest eigenvalue, of either sign
  Index products = 0;             ///< vectors that were multiplied
  Index basis = 0;                ///< largest search space
  Index restarts = 0;
};

/// Block Lanczos with full orthogonalization and thick restarts [Golub and Underwood 1977; Wu and Simon 2000]: an
/// orthonormal basis V of span{Q, A Q, A² Q, ...}, Ritz pairs of Vᵀ A V. Nearly all of its work is products of A with
/// blocks and matrix products, which run at the speed of the processor; an eigenvalue may be repeated as often as a
/// block has vectors. Sums over ranks are taken in double precision.
///
/// Where the search space would be the whole space, A is formed and decomposed instead (n² numbers over ranks).
///
/// In every column the entry of largest magnitude is positive (the first of those within 1e-3 of it in single, 1e-6 in
/// double precision).
/// Memory: n x most_basis numbers over ranks (of which no more is touched than is needed), and 2 most_basis² doubles on
/// every rank. @param progress  name of the live line; empty: none
/// @throws Error(internal) unless 1 <= count <= n; Error(numeric) if it does not converge in 100 restarts, or if the
/// operator's values are not finite; what the product throws. Collective.
template <class T>
[[nodiscard]] BlockEigenPairs<T> largest_eigenpairs(const Communicator& communicator, const BlockOperator<T>& product,
                                                    const BlockEigenRequest& request, const std::string& progress = "");

/// most_basis as it is resolved for n rows. Local.
[[nodiscard]] Index search_space(const BlockEigenRequest& request, Index rows);

}  // namespace cairn
