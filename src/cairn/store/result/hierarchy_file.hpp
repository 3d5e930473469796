// /hierarchy of a result: what its path lengths are searched by. Private to this folder.
#pragma once

#include <vector>

#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// Five lists, each rank its part of each. They refer to `hierarchy`, which must live until they are written.
/// Collective.
[[nodiscard]] std::vector<SharedTable> hierarchy_tables(const Communicator& communicator,
                                                        const StoredHierarchy& hierarchy);

/// Arcs of the hierarchy in a file, negative if there is none. @throws Error(input) if the lists are not of its types,
/// or not of `rows` vertices. Local.
[[nodiscard]] Index stored_hierarchy_arcs(const hdf5::InputFile& file, Index rows);

/// The hierarchy of a file that has one, all of it. Nothing of it is trusted. @throws Error(input). Local.
[[nodiscard]] ContractionHierarchy read_hierarchy(const hdf5::InputFile& file);

}  // namespace cairn
