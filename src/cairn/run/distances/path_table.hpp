// Tables of exact path lengths: from chosen vertices of a graph to chosen vertices, or to all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// The options sources, targets, pairs, bits, scale, resume; out, the file; and snapping_options().
[[nodiscard]] const std::vector<Parameter>& path_table_options();

/// Checks the rules for their values that need no file. @throws Error(usage). Local.
void check_path_table(const Values& options);

/// Path lengths, and the names of their vertices.
struct PathLengthSource {
  std::unique_ptr<PathLength> lengths;
  NumbersInFile numbers{};   ///< numbers of the vertices in the graph file
  std::string positions{};   ///< a file with positions of the vertices; empty: none is known
  std::uint64_t digest = 0;  ///< of the graph
  std::vector<DataFact> facts{};
  std::vector<std::string> notes{};
};

/// Path lengths of a graph, which need not be connected. @param graph  values of graph_data() @param search  values of
/// path_length_similarity()
/// @throws as read_graph and make_path_length. Collective.
[[nodiscard]] PathLengthSource read_path_lengths_of_graph(const Execution& execution, const Values& graph,
                                                          const Values& search);
/// Path lengths of a result that has its hierarchy. @throws Error(input) if it has none; as read_result. Collective.
[[nodiscard]] PathLengthSource read_path_lengths_of_result(const Execution& execution, const std::string& path);

/// Writes the table of path lengths from the sources listed in options.sources to the targets listed in options.targets
/// (empty: to all vertices): row i belongs to the i-th line of sources. Points are replaced by their nearest vertices.
///
/// Sources are processed in the order of the hierarchy, as many at a time as fill a sweep, and assigned to ranks in
/// blocks. A rank writes its rows into the file and releases them. If a block of whole rows is too large, columns are
/// divided. Numbers are unsigned integers of 16 or 32 bits if lengths are integers, or are made so by options.scale;
/// otherwise floating point. Pairs without a path get no_path.
/// @param memory  half of it may be used for rows @param tell  receives what is known before the table is computed
/// @throws Error(input) with file:line for invalid vertices or points; Error(usage) as check_path_table, and for 16
/// bits if lengths are not integers; Error(numeric) for a length that the number cannot hold, with its vertices; as
/// LengthTableFile. Collective. Memory: a block of rows, which is 16 MB or one sweep, as much in the sweep, and the
/// lists.
[[nodiscard]] TaskReport write_path_table(const Execution& execution, const PathLengthSource& source,
                                          const Values& options, const MemoryLimit& memory,
                                          const std::function<void(const ReportText&)>& tell);

}  // namespace cairn
