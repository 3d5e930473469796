// The Cholesky factor of a patch, in a form for partial solves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cairn/operator/operator_view.hpp"

namespace cairn {

/// L of L Lᵀ = M (rows and columns permuted), by columns, with 32-bit row numbers because a patch is small. CHOLMOD's
/// own arrays (simplicial, AMD ordering, postordered elimination tree).
class PatchFactor {
 public:
  PatchFactor() = default;
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(parents.size()); }
  [[nodiscard]] Index entries() const { return size() == 0 ? 0 : starts[size()]; }

  const std::int32_t* starts = nullptr;  ///< of the columns
  const std::int32_t* rows = nullptr;    ///< ascending in a column, the diagonal first
  const double* values = nullptr;
  std::vector<double> inverse_diagonal;
  std::vector<std::int32_t> parents;  ///< in the elimination tree: the second row of the column; -1: a root
  std::vector<std::int32_t> place;    ///< row of the matrix -> row of L
  double norm = 0.0;                  ///< 1-norm of the matrix

 private:
  friend PatchFactor factorize(LowerTriangle<int> matrix);
  std::shared_ptr<void> arrays_;  // owner of the arrays that the pointers refer to
};

/// @throws Error(numeric) if the matrix is not positive definite, Error(resource) if memory does not suffice. Local,
/// thread-safe.
[[nodiscard]] PatchFactor factorize(LowerTriangle<int> matrix);

}  // namespace cairn
