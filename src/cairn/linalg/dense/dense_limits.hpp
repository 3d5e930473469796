// Limits of dense matrices due to 32-bit integers of libraries, checked before allocation.
#pragma once

#include "cairn/base/index.hpp"
#include "cairn/linalg/dense/process_grid.hpp"

namespace cairn {

/// Use of a dense matrix.
enum class DenseUse {
  stored,   ///< kept, and multiplied
  eigen,    ///< decomposed by eigen_symmetric
  singular  ///< decomposed by singular_value_decomposition
};

struct DenseSize {
  Index rows = 0, columns = 0;
  DenseUse use = DenseUse::stored;
};

[[nodiscard]] constexpr DenseSize square(Index order, DenseUse use) { return {order, order, use}; }

/// Rejects sizes that BlockCyclicMatrix and the decompositions would reject only once the matrix exists: more entries,
/// or a longer workspace, on one of `ranks` ranks than 32 bits count. Local.
/// @throws Error(resource) with the number
void require_countable(const DenseSize& matrix, int ranks);

namespace detail {

struct EigenWorkspace {
  Index numbers, integers;
};

/// Workspace that the parts of pdsyevd document for n x n, the same on every rank. Its own formula omits pdormtr and
/// pdlasrt, which need more if a matrix has few blocks: they then report an illegal argument and the result is wrong.
[[nodiscard]] EigenWorkspace eigen_workspace_on_grid(Index n, const GridShape& grid);

/// Workspace that pdgesvd documents for m x n, on the rank that needs most.
[[nodiscard]] Index singular_workspace_on_grid(Index m, Index n, const GridShape& grid);

}  // namespace detail

}  // namespace cairn
