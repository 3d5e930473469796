// Graphs in HDF5. Private to this folder.
#pragma once

#include <string>

#include "cairn/data/graph/graph_assembly.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// One rank's rows of a graph in compressed rows.
struct Hdf5Graph {
  Index vertices = 0;     ///< of the whole graph
  Index arcs = 0;         ///< of these rows, loops among them
  EdgeList edges;         ///< the arcs without loops
  Index zeros = 0;        ///< lengths of 0 among these rows, loops among them
  Index first_zero = -1;  ///< place of the first of them in /lengths
};

/// Reads /starts (n + 1 integers, from 0, ascending), /neighbours (integers 0 to n - 1) and, where it is there and
/// `weighted`, /lengths (one a neighbour): the rows that a RowPartition gives `rank`. One arc or both of an edge.
/// @param keys  of `weighted` @throws Error(input) with the data set and the place in it. Local. Memory: 24 bytes an
/// arc of these rows, 32 with lengths.
[[nodiscard]] Hdf5Graph read_hdf5_graph(const std::string& path, int rank, int ranks, bool weighted,
                                        const KeyNames& keys);

}  // namespace cairn
