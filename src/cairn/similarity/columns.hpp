// Columns of K: all objects against a few.
#pragma once

#include <span>
#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// What becomes of distances that are evaluated because the similarity's table has them not: an error is measured on
/// columns that may be all, which are not to be kept.
enum class OtherDistances { kept, not_kept };

/// K S: the similarities of all `objects` with `columns` (replicated), n x s, rows as objects.partition() says.
///
/// Runs over tiles of RowPartition::unit(n) rows, or fewer as EntryTraits says, through
/// execution.ledger under the name `loop` and is dealt by a Schedule. Where the similarity comes by source the tiles
/// are sources instead, as evaluate_source_columns says; column b then holds the values from columns[b].
/// Where the similarity has a table of distances, known ones are taken from it, and others added to it, or not.
/// @param phase  the phase of execution.phases that seconds and evaluations are counted in
/// @throws Error(numeric) for values that are not finite. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_columns(const Execution& execution, const Similarity<T>& similarity,
                                           const ObjectSet& objects, const ObjectBlock& columns,
                                           const std::string& phase, const std::string& loop,
                                           OtherDistances others = OtherDistances::kept);

/// The same of the distances that the similarity is a function of, which by_source() has none of. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_distances(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, const ObjectBlock& columns,
                                             const std::string& phase, const std::string& loop);

/// The same into rows that exist already: column b of `columns` becomes column first_column + b of `out`. Where `out`
/// has more columns, and they do not come by source, they are evaluated apart and copied: columns.size() values a row
/// more while it runs.
/// @throws Error(internal) if `out` has other rows than `objects`, or too few columns
template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop, OtherDistances others = OtherDistances::kept);

/// SᵀKS: the similarities of the objects `sample` (global numbers, the same list on every rank, any order) with each
/// other, s x s, rows as RowPartition(s, ranks) says. Takes s² evaluations.
///
/// Runs, and is dealt, as evaluate_columns: the values are the same to the last bit on any number of ranks. Every rank
/// holds all objects of the sample, twice, while it runs.
/// @throws Error(numeric) for values that are not finite. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_principal_submatrix(const Execution& execution, const Similarity<T>& similarity,
                                                       const ObjectSet& objects, std::span<const Index> sample,
                                                       const std::string& phase, const std::string& loop);

/// Likewise the similarities of the objects `rows` with the objects `columns`: rows.size() x columns.size().
/// Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_submatrix(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, std::span<const Index> rows,
                                             std::span<const Index> columns, const std::string& phase,
                                             const std::string& loop);

/// The same without a look at similarity.distances(). @param base  of the distances that it is a function of.
/// Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_block(const Execution& execution, const Similarity<T>& similarity,
                                         const ObjectSet& objects, std::span<const Index> rows,
                                         std::span<const Index> columns, const std::string& phase,
                                         const std::string& loop, bool base);

}  // namespace cairn
