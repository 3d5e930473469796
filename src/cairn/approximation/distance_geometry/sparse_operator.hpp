// Products of a sparse symmetric matrix with a few vectors at once. Private to this folder.
#pragma once

#include "cairn/linalg/krylov/block_krylov.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"

namespace cairn {

/// Y = A X: every rank brings X together (n x b numbers on every rank) and multiplies it by rows of A with about as
/// many entries as any other rank has, whoever owns them.
/// @param matrix  n x n; it is copied @param communicator  must outlive what is returned
/// Memory of a rank: its share of A twice while it is made, 4 + sizeof(T) bytes an entry, then once. Collective.
template <class T>
[[nodiscard]] BlockOperator<T> sparse_operator(const Communicator& communicator, const SparseRows<T>& matrix,
                                               int threads);

}  // namespace cairn
