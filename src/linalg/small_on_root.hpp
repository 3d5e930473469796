// LAPACK on rank 0 for matrices that are too small to gain from ScaLAPACK, and ScaLAPACK for the others. Private to
// this folder; the tests compare the two.
#pragma once

#include "linalg/dense_algorithms.hpp"

namespace cairn::detail {

/// Up to this many rows an eigen-decomposition runs in LAPACK on one rank: on 2 ranks dsyevd took 0.030 s where pdsyevd
/// took 0.105 s at 500 rows, 0.17 and 0.15 s at 1,000, 3.5 and 2.6 s at 3,000.
inline constexpr Index serial_eigen_rows = 1000;
/// The same for the longer side of a singular value decomposition: on 2 ranks dgesdd was 3.5 to 5 times as fast as
/// pdgesvd at 500, 1,000 and 2,000 rows. The limit is the half gigabyte that rank 0 then needs.
inline constexpr Index serial_singular_rows = 3000;

[[nodiscard]] SymmetricEigen eigen_symmetric_on_root(BlockCyclicMatrix matrix);
[[nodiscard]] SymmetricEigen eigen_symmetric_on_grid(BlockCyclicMatrix matrix);
[[nodiscard]] SingularValues singular_values_on_root(BlockCyclicMatrix matrix);
[[nodiscard]] SingularValues singular_values_on_grid(BlockCyclicMatrix matrix);
/// Ascending eigenvalues alone (dsyevd). Replicated.
[[nodiscard]] std::vector<double> eigenvalues_on_root(const BlockCyclicMatrix& matrix);

}  // namespace cairn::detail
