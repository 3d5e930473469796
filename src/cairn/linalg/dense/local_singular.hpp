// Singular values of a matrix that one rank holds.
#pragma once

#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"

namespace cairn {

/// A = U diag(values) VT, thin and column-major: A m x n, U m x r, VT r x n, r = min(m, n), values descending.
struct LocalSingular {
  std::vector<double> values;
  Buffer<double> u, vt;
};

/// LAPACK's dgesdd. `a` is m x n, column-major and contiguous, and is overwritten. Local. Memory: U, VT, and a
/// workspace of 4 r² + 7 r + max(m, n) doubles.
/// @throws Error(numeric) if it fails to converge, as with entries that are not finite; Error(resource) if memory is
/// insufficient, or a size exceeds 32 bits
[[nodiscard]] LocalSingular local_singular_values(Index m, Index n, double* a);

/// Doubles of dgesdd's workspace with thin U and VT.
[[nodiscard]] constexpr Index singular_workspace(Index m, Index n) {
  const Index small = m < n ? m : n, large = m < n ? n : m;
  return 4 * small * small + 7 * small + large;
}

}  // namespace cairn
