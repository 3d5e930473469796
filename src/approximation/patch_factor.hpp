// The Cholesky factor of a patch, open to partial solves.
#pragma once

#include <cstdint>
#include <vector>

#include "approximation/operator_view.hpp"

namespace cairn {

/// L of L Lᵀ = M (rows and columns permuted), by columns, with 32-bit row numbers: a patch is small. From CHOLMOD
/// (simplicial, AMD ordering, postordered elimination tree).
struct PatchFactor {
  std::vector<std::int32_t> place;   ///< row of the matrix -> row of L
  std::vector<std::int32_t> starts;  ///< of the columns, below the diagonal
  std::vector<std::int32_t> rows;    ///< ascending in a column
  std::vector<double> values;
  std::vector<double> inverse_diagonal;
  std::vector<std::int32_t> parents;  ///< in the elimination tree: the first row of the column; -1: a root
  double norm = 0.0;                  ///< 1-norm of the matrix

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }
};

/// @throws Error(numeric) where the matrix is not positive definite, Error(resource) where there is no memory. Local,
/// thread-safe.
[[nodiscard]] PatchFactor factorize(LowerTriangle<int> matrix);

}  // namespace cairn
