// Tables of exact path lengths: from chosen vertices of a graph to chosen ones, or to all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// sources, targets, bits, scale, resume; and out, the file.
[[nodiscard]] const std::vector<Parameter>& path_table_options();

/// The rules about their values that need no file. @throws Error(usage). Local.
void check_path_table(const Values& options);

/// Path lengths, and what their vertices are called.
struct PathLengthSource {
  std::unique_ptr<PathLength> lengths;
  NumbersInFile numbers{};   ///< of the vertices in the file of the graph
  std::uint64_t digest = 0;  ///< of the graph
  std::vector<DataFact> facts{};
  std::vector<std::string> notes{};
};

/// Of a graph, which need not be connected. @param graph  values of graph_data() @param search  of
/// path_length_similarity()
/// @throws as read_graph and make_path_length. Collective.
[[nodiscard]] PathLengthSource read_path_lengths_of_graph(const Execution& execution, const Values& graph,
                                                          const Values& search);
/// Of a result that keeps its hierarchy. @throws Error(input) if it keeps none; as read_result. Collective.
[[nodiscard]] PathLengthSource read_path_lengths_of_result(const Execution& execution, const std::string& path);

/// Writes the table of the lengths from the sources that options.sources names to the targets that options.targets
/// names (none: to all vertices): row i is that of the i-th line of sources.
///
/// Sources are taken in the order of the hierarchy, a sweep's fill at a time, and dealt in blocks to ranks, which write
/// their rows into the file and forget them; where a block of whole rows is too much, columns are cut. Numbers are
/// unsigned integers of 16 or 32 bits if lengths are integers, or are made so by options.scale, else of floating point;
/// no_path where there is no path.
/// @param memory  half of it may be taken by rows @param tell  is handed what is known before the table is computed
/// @throws Error(input) with file:line for vertices that are none; Error(usage) as check_path_table, and for 16 bits of
/// lengths that are no integers; Error(numeric) for a length that the number cannot hold, with its vertices; as
/// LengthTableFile. Collective. Memory: a block of rows, which is 16 MB or one sweep, as much in the sweep, and the
/// lists.
[[nodiscard]] TaskReport write_path_table(const Execution& execution, const PathLengthSource& source,
                                          const Values& options, const MemoryLimit& memory,
                                          const std::function<void(const ReportText&)>& tell);

}  // namespace cairn
