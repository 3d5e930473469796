// Which landmarks are solved together.
#pragma once

#include <vector>

#include "cairn/approximation/biharmonic/landmark_regions.hpp"

namespace cairn {

/// Cuts the landmarks into patches of about `patch_size`, next to each other, and orders each patch so that any run of
/// `group_size` from its beginning on is a neighbourhood again.
///
/// Works on the graph of the landmarks' regions, l vertices, of which an edge weighs as many edges as cross it: METIS's
/// k-way partition, balanced by vertices; then halves by breadth-first order. Local.
/// @return positions of landmarks, each once
[[nodiscard]] std::vector<std::vector<Index>> cut_into_patches(const LandmarkRegions& regions, Index patch_size,
                                                               Index group_size);

}  // namespace cairn
