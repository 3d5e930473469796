// Columns of K of single-source similarities. Private to evaluate_columns, except for the counts of a plan.
#pragma once

#include <span>
#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Partition of columns in evaluate_source_columns, also for plans. A band is whole on one rank, a slab spans all
/// ranks. Bands can be cut into parts by the vertices; a slab then has few of them.
struct SourceColumnBands {
  Index band = 1;   ///< columns of a band
  Index slab = 1;   ///< columns of a slab, a multiple of `band`
  Index parts = 1;  ///< of a band
};
/// @param count  columns to evaluate @param batch  as SourceTraits::batch @param number_bytes  bytes of a delivered
///   value @param in_parts  true if the similarity has a PanelSource::vertex_order @param slab_bytes  1 GiB except in
///   tests. Local.
[[nodiscard]] SourceColumnBands source_column_bands(Index n, Index count, Index batch, Index number_bytes,
                                                    bool in_parts, Index slab_bytes = Index{1} << 30);

/// Bytes of a slab that a rank sends, and receives, at a time.
inline constexpr Index delivered_column_bytes = Index{4} << 20;

/// Bytes of the integers that hold the values of the similarity: 2 or 4; 0 if they are no integers. Local.
[[nodiscard]] Index delivered_integer_bytes(const SourceSimilarity& similarity);

/// out(v, first_column + b) = value of source columns[b] and vertex v, for all vertices.
///
/// Evaluates bands of SourceTraits::batch sources (fewer if their columns exceed 1 GiB) through execution.ledger and a
/// Schedule, in the number type of the values (see PanelSource). A band is whole on one rank, or cut into parts by
/// vertices where the similarity has a PanelSource::vertex_order, so that few sources are work for many ranks. Slabs of
/// consecutive columns are sent to the owners of the rows when they are finished: loops "NAME 0", "NAME 1", ... Bands,
/// parts and slabs depend on n and the number of columns alone.
///
/// Memory over all ranks: a slab in that number type, the larger of 256 MiB and a band if bands are cut into parts;
/// else the largest of an eighth of the columns, 1 GiB and 8 bands. Memory of every rank: 8 MB for rows in transit (and
/// up to two more bands per thread if values come as doubles).
/// @tparam T  float, double, or the integers that hold the values
/// @param columns  without repeats, the same on every rank
/// @param slab_bytes  1 GiB except in tests
/// @throws Error as the similarity. Collective.
template <class T>
void evaluate_source_columns(const Execution& execution, const SourceSimilarity& similarity,
                             std::span<const Index> columns, RowBlock<T>& out, Index first_column, Phases::Scope& phase,
                             const std::string& loop, Index slab_bytes = Index{1} << 30);

}  // namespace cairn
