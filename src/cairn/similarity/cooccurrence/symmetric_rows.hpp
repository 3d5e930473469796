// Both triangles of a sparse symmetric matrix from the lower one.
#pragma once

#include <functional>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/linalg/sparse/balanced_rows.hpp"

namespace cairn {

/// A value for every pair that occurs together, in both triangles, with rows assigned to ranks by number of entries.
/// @param values  values(i, row, out) writes the values of row i of the lower triangle; local
/// Memory: 4 + sizeof(T) bytes per entry of the result, messages of about `most_sent` entries, 16 bytes per word, and 4
/// per word and rank. Collective.
template <class T>
[[nodiscard]] BalancedRows<T> symmetric_rows(const Communicator& communicator, const CooccurrenceCounts& counts,
                                             const std::function<void(Index i, const CountRow& row, T* out)>& values,
                                             Index most_sent = Index{1} << 18U);

}  // namespace cairn
