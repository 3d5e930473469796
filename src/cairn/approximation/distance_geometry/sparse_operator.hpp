// Products of a sparse symmetric matrix with a few vectors at once. Private to this folder.
#pragma once

#include "cairn/linalg/krylov/block_krylov.hpp"
#include "cairn/linalg/sparse/balanced_rows.hpp"

namespace cairn {

/// Y = A X: X is gathered on every rank (n x b numbers) and multiplied by the rank's rows of A; the result is sent to
/// the owners of Y.
/// @param partition  of the rows of X and Y @param matrix  n x n; it is copied @param communicator  must outlive the
/// result. Memory per rank: its share of A once more, 4 + sizeof(T) bytes per entry. Collective.
template <class T>
[[nodiscard]] BlockOperator<T> sparse_operator(const Communicator& communicator, const RowPartition& partition,
                                               const BalancedRows<T>& matrix, int threads);

/// y += the row times x, row-major without gaps, in the order of its entries. Local.
template <class T>
void add_row_product(const typename CompressedRows<T>::Row& row, MatrixView<const T> x, T* y);

}  // namespace cairn
