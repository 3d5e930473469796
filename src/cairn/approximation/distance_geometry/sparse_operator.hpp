// Products of a sparse symmetric matrix with a few vectors at once. Private to this folder.
#pragma once

#include "cairn/linalg/krylov/block_krylov.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"

namespace cairn {

/// Y = A X: every rank brings X together (n x b numbers on every rank) and multiplies it by its own rows.
/// @param matrix  n x n, symmetric; must outlive what is returned
template <class T>
[[nodiscard]] BlockOperator<T> sparse_operator(const Communicator& communicator, const SparseRows<T>& matrix,
                                               int threads);

}  // namespace cairn
