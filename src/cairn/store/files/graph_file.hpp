// A graph as an HDF5 file of compressed rows, which data.format = hdf5 reads.
#pragma once

#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes /starts, /neighbours and, where it has lengths, /lengths: both arcs of every edge. Each rank writes its rows,
/// beside the final name, which is then taken. @throws Error(usage) as check_writable, Error(resource) if the disk
/// is full. Collective. Memory: 8 bytes a vertex of this rank.
void write_graph(const Execution& execution, const OutputPath& path, const Graph& graph);

}  // namespace cairn
