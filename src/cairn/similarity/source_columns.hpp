// Columns of K by source. Private to evaluate_columns, but for what a plan counts.
#pragma once

#include <span>
#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// How evaluate_source_columns cuts columns, which a plan counts: a band is whole on one rank, a slab over all ranks.
struct SourceColumnBands {
  Index band = 1;  ///< columns of a band
  Index slab = 1;  ///< columns of a slab, a multiple of it
};
/// @param count  columns that are evaluated @param batch  as SourceTraits says @param number_bytes  of a value as it
/// comes @param slab_bytes  1 GiB but for tests. Local.
[[nodiscard]] SourceColumnBands source_column_bands(Index n, Index count, Index batch, Index number_bytes,
                                                    Index slab_bytes = Index{1} << 30);

/// What a rank sends, and what it receives, of a slab at a time.
inline constexpr Index delivered_column_bytes = Index{4} << 20;

/// out(v, first_column + b) = value of source columns[b] and vertex v, for all vertices.
///
/// Runs over bands of SourceTraits::batch sources (fewer where their columns take more than 1 GiB), each of them whole
/// on one rank and in the numbers in which values come (see PanelSource), through execution.ledger and a
/// Schedule; in slabs of consecutive columns, which go to the owners of the rows when they are finished: loops "NAME
/// 0", "NAME 1", ... Bands and slabs depend on n and the number of columns alone. Memory over all ranks: a slab, which
/// is an eighth of the columns, 1 GiB or 8 bands, whichever is most, in those numbers; on every rank 8 MB for rows on
/// their way (and where values come as doubles up to two bands more a thread).
/// @param columns  without repeats, the same on every rank
/// @param slab_bytes  1 GiB but for tests
/// @throws Error as the similarity. Collective.
template <class T>
void evaluate_source_columns(const Execution& execution, const SourceSimilarity& similarity,
                             std::span<const Index> columns, RowBlock<T>& out, Index first_column, Phases::Scope& phase,
                             const std::string& loop, Index slab_bytes = Index{1} << 30);

}  // namespace cairn
