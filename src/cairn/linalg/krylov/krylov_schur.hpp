// A few extreme eigenpairs of a symmetric operator that is given by its products, by SLEPc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// y = A x for a symmetric A, with vectors distributed over ranks by `partition`.
struct SymmetricOperator {
  RowPartition partition;
  /// Maps the own entries of x to those of y. Called collectively; what it throws must be thrown on every rank.
  std::function<void(const double* x, double* y)> multiply;
};

/// Wanted eigenpairs and their accuracy.
struct EigenRequest {
  enum class End { smallest, largest } end = End::largest;
  Index count = 1;
  double tolerance = 1e-10;  ///< bound on a residual ‖A v - λ v‖, relative to `scale`
  double scale = 1.0;        ///< a norm of A, or an estimate of one, above 0
  std::uint64_t seed = 0;    ///< for the start vector (Stream::lanczos), the same on any number of ranks
  int restarts = 2000;       ///< at most, of a search
};

struct EigenPairs {
  std::vector<double> values;     ///< from the end inwards, replicated
  RowBlock<double> vectors;       ///< n x count: column j belongs to values[j]; unit length
  std::vector<double> residuals;  ///< ‖A v - λ v‖ as computed from v
  Index products = 0;             ///< number of products, in all searches
  Index restarts = 0;             ///< number of restarts, in all searches
  Index basis = 0;                ///< number of vectors in the first search space
};

/// SLEPc's Krylov-Schur method, which for a symmetric operator is thick-restarted Lanczos. [Stewart 2001; Hernandez,
/// Roman and Vidal 2005]
///
/// A Krylov space contains one vector of every eigenspace. Further vectors of a repeated eigenvalue enter by rounding
/// only, possibly after the method has converged to values further in. If more than one pair is wanted, another search
/// therefore follows, from another start vector and orthogonally to all vectors found, for the outermost remaining
/// pair, until that is no further out than the last wanted pair, to `tolerance`. If nothing was missed, this is one
/// search, which ends as soon as the residual of its outermost estimate is a hundredth of the estimate's distance from
/// the last value: most often with its first max(count, 16) products. Every missed pair costs one more search, to
/// `tolerance`.
///
/// In every column the entry of largest magnitude is positive: the first of those within 1e-6 of it, so that rounding
/// does not matter. Columns are determined if eigenvalues are far apart, compared with the residuals; in the space of
/// equal ones they are arbitrary.
/// Memory: n x (max(2 count, count + 16) + count + 3) doubles over ranks, and 2 n for every pair that was missed.
/// @param progress  name of the progress line; empty: none
/// @throws Error(internal) unless 1 <= count <= n and scale > 0, Error(numeric) if the method does not converge in
///   so many restarts, Error(resource) if n, or a rank's part of the search space, exceeds 32 bits; what the product
///   throws. Collective.
[[nodiscard]] EigenPairs extreme_eigenpairs(const Communicator& communicator, const SymmetricOperator& product,
                                            const EigenRequest& request, const std::string& progress = "");

}  // namespace cairn
