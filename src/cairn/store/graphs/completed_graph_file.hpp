// Graphs with their chordal completions in HDF5: what `cairn reweigh` writes.
#pragma once

#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/numbers_in_file.hpp"
#include "cairn/similarity/shortest_paths/completed_graph.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

inline constexpr int completed_graph_format_version = 1;

/// A completed graph, with the numbers or names of its vertices in the file from which it was read.
struct NumberedCompletion {
  CompletedGraph graph;
  NumbersInFile numbers{};
};

/// Writes the completion and the lengths of edges: 16 bytes an edge (24 if directed), 4 an arc of the completion and 12
/// a vertex, or 20 if numbers are listed. @throws as AtomicFile. Collective. Memory: the same on rank 0.
void write_completed_graph(const Execution& execution, const OutputPath& path, const NumberedCompletion& stored);

/// True if the file at `path` is one of these; false for a file that is not HDF5. Collective.
[[nodiscard]] bool is_completed_graph(const Communicator& communicator, const std::string& path);

/// Nothing in the file is trusted. Rank 0 reads the graph. @throws Error(input) if it is damaged, or of a newer
/// version. Collective.
[[nodiscard]] NumberedCompletion read_completed_graph(const Communicator& communicator, const std::string& path);

}  // namespace cairn
