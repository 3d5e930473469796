// The diagonal of K.
#pragma once

#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// K(x, x) of all objects: n x 1, rows distributed by objects.partition(). n evaluations, counted in the phase
/// "landmarks"; runs over tiles of RowPartition::unit(n) rows through execution.ledger under the name `loop`.
/// Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_diagonal(const Execution& execution, const Similarity<T>& similarity,
                                            const ObjectSet& objects, const std::string& loop);

}  // namespace cairn
