// Eigenvalues of a symmetric matrix that one rank holds.
#pragma once

#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// LAPACK's dsyevd: ascending eigenvalues of a symmetric n x n matrix, column-major and contiguous; the lower triangle
/// is read. `a` becomes the eigenvectors, one per column. Local. Memory: a workspace of 2 n² doubles.
/// @throws Error(numeric) if it fails to converge, as with entries that are not finite; Error(resource) if a size
/// exceeds 32 bits
[[nodiscard]] std::vector<double> eigen_in_place(Index n, double* a);
/// Eigenvalues only; `a` is overwritten.
[[nodiscard]] std::vector<double> eigenvalues_in_place(Index n, double* a);

/// LAPACK's dsyevr: the `count` largest eigenvalues of the same, ascending, and their eigenvectors, n x count, in
/// `vectors`; `a` is overwritten. @pre 1 <= count <= n. @throws as eigen_in_place. Local.
[[nodiscard]] std::vector<double> largest_eigen_in_place(Index n, Index count, double* a, double* vectors);

/// Doubles of dsyevd's workspace with vectors.
[[nodiscard]] constexpr Index eigen_workspace(Index n) { return 1 + 6 * n + 2 * n * n; }

}  // namespace cairn
