// A sparse factor in a result file in which the vertices of pendant trees take the rows of their roots.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// /left, the rows of the 2-core without the last two columns, and /trees, the parent (or -1) and height of each
/// vertex. They refer to `left` and `trees`, which must live until they are written. Collective. Memory: 24 bytes per
/// own row of the 2-core.
template <class T>
[[nodiscard]] std::vector<SharedTable> tree_tables(const Communicator& communicator, const SparseRows<T>& left,
                                                   const HangingTrees& trees);
/// Creates their groups. @param columns  of the factor, including heights and ones. One rank.
void create_tree_groups(const hdf5::Handle& file, Index columns, const HangingTrees& trees);

/// Number of vertices in /trees, or -1 if there is none. @throws Error(input) unless each vertex has a parent and a
/// height. Local.
[[nodiscard]] Index stored_tree_vertices(const hdf5::InputFile& file);
/// @param core  rows of /left @throws Error(input) for parents and heights that do not form trees over a 2-core of that
/// many vertices. Collective.
[[nodiscard]] HangingTrees read_trees(const Communicator& communicator, const hdf5::InputFile& file, Index core);

}  // namespace cairn
