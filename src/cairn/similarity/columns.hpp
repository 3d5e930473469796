// Columns of K: all objects against a few.
#pragma once

#include <span>
#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Treatment of newly evaluated distances that the similarity's table lacks. An error is measured on columns that may
/// be all columns of K; these are not kept.
enum class OtherDistances { kept, not_kept };

/// Rows of a tile of n x `columns` similarities: a power of two, as units of a partition are, so that no tile lies on
/// two ranks. Local.
template <class T>
[[nodiscard]] Index rows_of_tile(const Similarity<T>& similarity, Index columns, Index n);

/// K S: similarities of all `objects` with `columns` (replicated), n x s. Rows follow objects.partition().
///
/// Evaluates tiles of RowPartition::unit(n) rows, or fewer (see EntryTraits), through execution.ledger under the name
/// `loop`. A Schedule assigns the tiles. For a single-source similarity the tiles are sources (see
/// evaluate_source_columns), and column b holds the values from columns[b]. If the similarity has a table of distances,
/// known distances are taken from it; `others` decides whether new ones are added.
/// @param phase  phase of execution.phases that counts seconds and evaluations
/// @throws Error(numeric) for values that are not finite. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_columns(const Execution& execution, const Similarity<T>& similarity,
                                           const ObjectSet& objects, const ObjectBlock& columns,
                                           const std::string& phase, const std::string& loop,
                                           OtherDistances others = OtherDistances::kept);

/// The same in the numbers in which the columns come: integers of 2 or 4 bytes, if the similarity is a single-source
/// one whose values they hold and T takes more bytes; else T. Collective.
template <class T>
[[nodiscard]] TallMatrix<T> evaluate_whole_columns(const Execution& execution, const Similarity<T>& similarity,
                                                   const ObjectSet& objects, const ObjectBlock& columns,
                                                   const std::string& phase, const std::string& loop);
/// Bytes of an entry of these columns. Local.
template <class T>
[[nodiscard]] Index whole_column_bytes(const Similarity<T>& similarity);

/// Likewise for the base distances of the similarity, which must not be single-source. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_distances(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, const ObjectBlock& columns,
                                             const std::string& phase, const std::string& loop);

/// Likewise into existing rows: column b of `columns` becomes column first_column + b of `out`. If `out` has more
/// columns and the similarity is not single-source, the columns are evaluated in a buffer and copied. Memory:
/// columns.size() more values per row meanwhile.
/// @throws Error(internal) if the rows of `out` are not those of `objects`, or it has too few columns
template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, RowBlock<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop, OtherDistances others = OtherDistances::kept);

/// The same into rows that may be held as integers, which must be those of evaluate_whole_columns.
template <class T>
void evaluate_columns_into(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& objects,
                           const ObjectBlock& columns, TallMatrix<T>& out, Index first_column, const std::string& phase,
                           const std::string& loop);

/// SᵀKS, s x s: similarities of the objects `sample` (global ids, the same list on every rank, any order) with each
/// other. Rows follow RowPartition(s, ranks). Takes s² evaluations.
///
/// Scheduled as in evaluate_columns: the values are the same to the last bit on any number of ranks. Memory: every rank
/// holds all objects of the sample twice meanwhile.
/// @throws Error(numeric) for values that are not finite. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_principal_submatrix(const Execution& execution, const Similarity<T>& similarity,
                                                       const ObjectSet& objects, std::span<const Index> sample,
                                                       const std::string& phase, const std::string& loop);

/// Likewise for the objects `rows` with the objects `columns`: rows.size() x columns.size(). Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_submatrix(const Execution& execution, const Similarity<T>& similarity,
                                             const ObjectSet& objects, std::span<const Index> rows,
                                             std::span<const Index> columns, const std::string& phase,
                                             const std::string& loop);

/// Likewise without using similarity.distances(). @param phase  empty: whoever asks counts the evaluations in its own
/// @param base  evaluates base distances in place of similarities. Collective.
template <class T>
[[nodiscard]] RowBlock<T> evaluate_block(const Execution& execution, const Similarity<T>& similarity,
                                         const ObjectSet& objects, std::span<const Index> rows,
                                         std::span<const Index> columns, const std::string& phase,
                                         const std::string& loop, bool base);

}  // namespace cairn
