// LAPACK on rank 0 for matrices too small to gain from ScaLAPACK, and ScaLAPACK for the others. Private to this folder;
// the tests compare the two.
#pragma once

#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn::detail {

[[nodiscard]] SymmetricEigen eigen_symmetric_on_root(BlockCyclicMatrix matrix);
[[nodiscard]] SymmetricEigen eigen_symmetric_on_grid(BlockCyclicMatrix matrix);
[[nodiscard]] double smallest_eigenvalue_on_grid(BlockCyclicMatrix matrix);
[[nodiscard]] SingularValues singular_values_on_root(BlockCyclicMatrix matrix);
[[nodiscard]] SingularValues singular_values_on_grid(BlockCyclicMatrix matrix);
/// Ascending eigenvalues only (dsyevd). Replicated.
[[nodiscard]] std::vector<double> eigenvalues_on_root(const BlockCyclicMatrix& matrix);

}  // namespace cairn::detail
