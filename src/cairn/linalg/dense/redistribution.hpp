// Moving small matrices between all ranks and rank 0. Private to this folder.
#pragma once

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"

namespace cairn::detail {

/// The whole matrix on rank 0, column-major; empty on the others. Collective.
[[nodiscard]] Buffer<double> gather_on_root(const BlockCyclicMatrix& matrix);

/// The inverse: `whole` is rows x columns, column-major, on rank 0 and not read on the others. Collective.
[[nodiscard]] BlockCyclicMatrix scatter_from_root(std::shared_ptr<const ProcessGrid> grid, Index rows, Index columns,
                                                  const Buffer<double>& whole);

}  // namespace cairn::detail
