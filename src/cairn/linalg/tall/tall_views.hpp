// Products of tall rows with small matrices, for rows without a RowPartition: each rank has any number of them.
#pragma once

#include <memory>

#include "cairn/base/matrix_view.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"

namespace cairn {

/// out = tall · A for this rank's rows: tall.rows x k, A: tall.columns x k. As multiply_tall of a RowBlock. Collective.
/// @tparam N  T, or integers that are converted to T, 16,384 rows at a time
template <class N, class T>
void multiply_tall(MatrixView<const N> tall, const BlockCyclicMatrix& a, MatrixView<T> out, int threads);

/// CᵀC or CᵀD; each rank gives as many rows of C as of D, and columns are the same on every rank. As gram of RowBlocks.
/// Collective.
template <class T>
[[nodiscard]] BlockCyclicMatrix gram(std::shared_ptr<const ProcessGrid> grid, MatrixView<const T> left,
                                     MatrixView<const T> right, int threads);

}  // namespace cairn
