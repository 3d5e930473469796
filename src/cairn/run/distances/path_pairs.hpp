// Exact path lengths of the pairs of a file.
#pragma once

#include <functional>
#include <string>

#include "cairn/run/distances/path_table.hpp"

namespace cairn {

/// The length of the shortest path of each pair of vertices in the file options.pairs, divided by options.scale, one
/// per line, in the order of the file; "inf" for a pair without a path. Vertices are named as in the lists of a table.
///
/// The ranks divide the pairs. Where these are many, labels of the hierarchy answer them (HierarchyLabels).
/// @param tell  receives what is known before the pairs are read
/// @param take  receives the lines of a block on rank 0, an empty text on others
/// @throws Error(input) with file:line for an invalid pair. Collective. Memory: a block of 262,144 pairs, and the
/// labels once per node.
[[nodiscard]] TaskReport answer_path_pairs(const Execution& execution, const PathLengthSource& source,
                                           const Values& options, const std::function<void(const ReportText&)>& tell,
                                           const std::function<void(const std::string& lines)>& take);

}  // namespace cairn
