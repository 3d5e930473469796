// Path lengths by sweeps over a contraction hierarchy.
#pragma once

#include <memory>

#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"
#include "cairn/similarity/shortest_paths/customization.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

/// Sweeps go from a source upward along its path in the elimination tree, then downward through all vertices over which
/// targets can be reached, for many sources at a time [PHAST, Delling, Goldberg, Nowatzyk and Werneck 2011; restricted
/// to targets: Delling, Goldberg and Werneck 2011]. Lengths are stored in 16 bits, 32 bits or doubles, as the longest
/// path requires.
///
/// A directed hierarchy has upward arcs with lengths of their own, and the same sweeps.
///
/// Memory: the hierarchy once per node, 24 bytes per vertex and 8 to 20 per arc. Prepared targets hold the vertices
/// above them, with their arcs, and n / 5 bytes.
/// @param hierarchy  of rank 0; ignored on others. Collective.
[[nodiscard]] std::unique_ptr<PathLength> make_hierarchy_path_length(const Communicator& communicator,
                                                                     ContractionHierarchy hierarchy);

/// The same from a completion: the ranks of a node copy the arcs that are needed. Collective.
[[nodiscard]] std::unique_ptr<PathLength> make_hierarchy_path_length(const Communicator& communicator,
                                                                     CustomizedArcs arcs);

}  // namespace cairn
