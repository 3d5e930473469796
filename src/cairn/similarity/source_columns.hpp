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
/// @param count  columns that are evaluated @param batch  as SourceTraits says @param slab_bytes  1 GiB but for
/// tests. Local.
[[nodiscard]] SourceColumnBands source_column_bands(Index n, Index count, Index batch, Index number_bytes,
                                                    Index slab_bytes = Index{1} << 30);

/// out(v, first_column + b) = value of source columns[b] and vertex v, for all vertices.
///
/// Runs over bands of SourceTraits::batch sources (fewer where their columns take more than 512 MiB), each of them
/// whole on one rank, through execution.ledger and a Schedule; in slabs of consecutive columns, which go to the owners
/// of the rows when they are finished: loops "NAME 0", "NAME 1", ... Bands and slabs depend on n and the number of
/// columns alone. Memory over all ranks: a slab, which is an eighth of the columns, 1 GiB or 8 bands, whichever is
/// most, and on every rank two bands more (in single precision another n x batch doubles a thread).
/// @param columns  without repeats, the same on every rank
/// @param slab_bytes  1 GiB but for tests
/// @throws Error as the similarity. Collective.
template <class T>
void evaluate_source_columns(const Execution& execution, const SourceSimilarity& similarity,
                             std::span<const Index> columns, RowBlock<T>& out, Index first_column, Phases::Scope& phase,
                             const std::string& loop, Index slab_bytes = Index{1} << 30);

}  // namespace cairn
