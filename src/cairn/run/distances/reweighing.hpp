// New lengths for the edges of a graph whose chordal completion is at hand.
#pragma once

#include <string>

#include "cairn/run/distances/path_table.hpp"
#include "cairn/store/graphs/completed_graph_file.hpp"

namespace cairn {

/// A completed graph with what reading it found.
struct CompletedSource {
  NumberedCompletion stored{};
  std::vector<DataFact> facts{};
  std::vector<std::string> notes{};
};

/// The graph that `graph`, values of graph_data(), names, and its completion. @param search  values of
/// path_length_similarity() @throws as read_graph and complete. Collective.
[[nodiscard]] CompletedSource complete_graph(const Execution& execution, const Values& graph, const Values& search);
/// The same from a file of `cairn reweigh`. @throws as read_completed_graph. Collective.
[[nodiscard]] CompletedSource read_completed_source(const Execution& execution, const std::string& path);

/// Replaces the lengths of all edges by those in a text file of edges. An edge that comes more than once has the least
/// of its lengths; a note counts those whose lengths differ. Of an undirected graph either direction gives the length.
/// @param values  of graph_data(): format, columns and zero-lengths of the file @param path  its name
/// @throws Error(input) as for_each_edge, with file and line for an edge that the graph does not have, and if edges
/// have no length; the lengths of `source` are then lost. Collective. Memory: 16 bytes per line once per node, and 24
/// on the rank that reads it.
void take_lengths(const Execution& execution, const Values& values, const std::string& path, CompletedSource& source);

/// Path lengths by a hierarchy of the present lengths. @throws as customized. Collective.
[[nodiscard]] PathLengthSource customized_lengths(const Execution& execution, CompletedSource source);

/// Writes the graph to a file that `cairn distances` reads. Collective.
[[nodiscard]] TaskReport write_completed_source(const Execution& execution, const CompletedSource& source,
                                                const OutputPath& path);

/// Sizes of a completed graph. Local.
[[nodiscard]] TaskReport report_of(const NumberedCompletion& stored);

}  // namespace cairn
