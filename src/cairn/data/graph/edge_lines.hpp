// Edges of a text file, line by line.
#pragma once

#include <functional>

#include "cairn/data/graph/graph.hpp"

namespace cairn {

/// Calls take(u, v, length) for the edges in this rank's part of the file, as its lines have them: numbers of the file,
/// loops and repeated ones included. An Error(input) that it throws gets the prefix "path:line: ".
/// @param source  path, format, columns, and names of keys @param zeros  lengths of 0 are accepted
/// @throws Error(usage) for an unknown format or hdf5; Error(input) as read_graph for a line that cannot be used, if
/// vertices have names, and if there are no lengths. Collective.
void for_each_edge(const Communicator& communicator, const GraphSource& source, bool zeros,
                   const std::function<void(Index u, Index v, double length)>& take);

}  // namespace cairn
