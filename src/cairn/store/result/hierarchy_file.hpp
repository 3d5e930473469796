// /hierarchy of a result: the contraction hierarchy for its path lengths. Private to this folder.
#pragma once

#include <vector>

#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// Five lists; each rank has its part of each. They refer to `hierarchy`, which must live until they are written.
/// Collective.
[[nodiscard]] std::vector<SharedTable> hierarchy_tables(const Communicator& communicator,
                                                        const StoredHierarchy& hierarchy);

/// Number of arcs of the hierarchy in a file, negative if there is none. @throws Error(input) if the lists do not have
/// its types, or not `rows` vertices. Local.
[[nodiscard]] Index stored_hierarchy_arcs(const hdf5::InputFile& file, Index rows);

/// The whole hierarchy of a file that has one. The data are validated. @throws Error(input). Local.
[[nodiscard]] ContractionHierarchy read_hierarchy(const hdf5::InputFile& file);

}  // namespace cairn
