// Path lengths of a directed graph as a symmetric matrix.
#pragma once

#include <memory>

#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

/// K_ij = (d(i, j) + d(j, i)) / 2, for `directed` lengths d. Its rows are two rows of lengths each. @throws also
/// Error(numeric) where there is no path in one of the directions. Collective.
[[nodiscard]] std::unique_ptr<SourceSimilarity> make_symmetrized(const Communicator& communicator,
                                                                 std::unique_ptr<PathLength> directed);

}  // namespace cairn
