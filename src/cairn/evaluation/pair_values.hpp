// K on a list of pairs.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// K(rows[p], columns[p]) of this rank's pairs (another list on every rank), one evaluation a pair; in batches, so that
/// a rank holds the objects of 2^16 pairs at a time. @throws Error(numeric) for a value that is not finite. Collective.
template <class T>
[[nodiscard]] std::vector<double> exact_entries(const Execution& execution, const Similarity<T>& similarity,
                                                const ObjectSet& objects, std::span<const Index> rows,
                                                std::span<const Index> columns);

/// The same by source, from each row to its columns: one-sided where the similarity is. Local but for the agreement on
/// errors. Collective.
[[nodiscard]] std::vector<double> exact_entries(const Execution& execution, const SourceSimilarity& similarity,
                                                std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
