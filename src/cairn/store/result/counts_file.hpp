// /counts of a result: co-occurrences from which its similarities were computed. Private to this folder.
#pragma once

#include <vector>

#include "cairn/data/corpus/cooccurrence_counts.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// Creates the group with its attributes. One rank.
void create_counts_group(const hdf5::Handle& file, const CooccurrenceCounts& counts);

/// `indptr` (n + 1 positions), `indices` (int32: the other word, at most the row) and `data` (uint32, or int64 if a
/// count does not fit); each rank writes its part. They refer to `counts`, which must live until they are written.
/// Collective.
[[nodiscard]] std::vector<SharedTable> count_tables(const Communicator& communicator, const CooccurrenceCounts& counts);

}  // namespace cairn
