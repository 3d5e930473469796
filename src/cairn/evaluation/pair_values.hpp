// Evaluates K on a list of pairs.
#pragma once

#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// K(rows[p], columns[p]) of this rank's pairs (a different list on every rank), one evaluation per pair. Works in
/// batches, so that a rank holds the objects of 2^16 pairs at a time. @throws Error(numeric) for a value that is not
/// finite. Collective.
template <class T>
[[nodiscard]] std::vector<double> exact_entries(const Execution& execution, const Similarity<T>& similarity,
                                                const ObjectSet& objects, std::span<const Index> rows,
                                                std::span<const Index> columns);

/// exact_entries for a SourceSimilarity: values from each row to its columns, one-sided if the similarity is. Local
/// except for the agreement on errors. Collective.
[[nodiscard]] std::vector<double> exact_entries(const Execution& execution, const SourceSimilarity& similarity,
                                                std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
