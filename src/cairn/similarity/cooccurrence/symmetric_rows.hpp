// Both triangles of a sparse symmetric matrix from the lower one.
#pragma once

#include <functional>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"

namespace cairn {

/// value(i, j, C_ij) of every pair that occurs together, each rank its own rows with both triangles.
/// @param value  symmetric in i and j; thread-safe, local
/// Memory: 8 + sizeof(T) bytes an entry of the result, and messages of `most_sent` entries. Collective.
template <class T>
[[nodiscard]] SparseRows<T> symmetric_rows(const Communicator& communicator, const CooccurrenceCounts& counts,
                                           const std::function<T(Index i, Index j, Index count)>& value,
                                           Index most_sent = Index{1} << 18U);

}  // namespace cairn
