// A sparse factor whose vertices of hanging trees take the rows of their roots, in a result file.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/graph/hanging_trees.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/shared_table.hpp"

namespace cairn {

/// /left, the rows of the core without the last two columns, and /trees, the parent (or -1) and height of each vertex.
/// Refer to `left` and `trees`, which must live until they are written. Collective. Memory: 24 bytes an own row of the
/// core.
template <class T>
[[nodiscard]] std::vector<SharedTable> tree_tables(const Communicator& communicator, const SparseRows<T>& left,
                                                   const HangingTrees& trees);
/// Their groups. @param columns  of the factor, heights and ones among them. One rank.
void create_tree_groups(const hdf5::Handle& file, Index columns, const HangingTrees& trees);

/// Vertices in /trees, or -1 if there is none. @throws Error(input) if it is not a parent and a height a vertex. Local.
[[nodiscard]] Index stored_tree_vertices(const hdf5::InputFile& file);
/// @param core  rows of /left @throws Error(input) for parents and heights that make no trees over so many vertices.
/// Collective.
[[nodiscard]] HangingTrees read_trees(const Communicator& communicator, const hdf5::InputFile& file, Index core);

}  // namespace cairn
