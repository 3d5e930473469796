// Where the vertices of a graph or mesh are drawn.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/matrix/numbers_in_file.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Reads a position for every vertex: x, y and z, 0 if the file has two coordinates (n x 3, as `partition` deals
/// rows).
///
/// - Text (.csv, .txt, ..., also .gz and .xz): a line a vertex in their order, "x,y" or "x,y,z". Where a header line
///   gives the first column a name that ends in "id" (id, Node_ID), that column holds the vertices' numbers in the file
///   of the graph, or their names: lines may then be in any order, and those of vertices that were left out are
///   skipped.
/// - HDF5 (.h5): the data set /embedding, of which the first three coordinates are taken, or one of points, n x 2 or 3.
/// - NumPy (.npy): n x 2 or 3.
///
/// Memory: 100 bytes a vertex of this rank's.
/// @throws Error(input) with file:line for a line that cannot be read; if there are more or fewer rows than
/// vertices,
///   a vertex that is named twice, out of range or missing. Collective.
[[nodiscard]] RowBlock<double> read_positions(const Communicator& communicator, const std::string& path,
                                              const RowPartition& partition, const NumbersInFile& numbers);

}  // namespace cairn
