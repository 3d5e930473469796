// A graph as an HDF5 file of compressed rows, which can be read with data.format = hdf5.
#pragma once

#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes /starts, /neighbours and, if the graph has edge weights, /lengths: both arcs of every edge; of a directed
/// graph the arcs that exist. Each rank writes its rows, beside the final name; then the file is renamed. @throws
/// Error(usage) as check_writable, Error(resource) if the disk is full. Collective. Memory: 8 bytes per vertex of this
/// rank.
void write_graph(const Execution& execution, const OutputPath& path, const Graph& graph);

}  // namespace cairn
