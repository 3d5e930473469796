// Which landmarks are solved together.
#pragma once

#include <cstdint>
#include <vector>

#include "approximation/operator_view.hpp"

namespace cairn {

/// Cuts the landmarks into patches of about `patch_size`, next to each other, and orders each patch so that any run of
/// `group_size` from its beginning on is a neighbourhood again.
///
/// Works on the graph of the landmarks' regions, l vertices, of which an edge weighs as many arcs as cross it: METIS's
/// k-way partition, balanced by vertices; then halves by breadth-first order. Local.
/// @param nearest  of every vertex its landmark (nearest_landmarks)
/// @return positions of landmarks, each once
[[nodiscard]] std::vector<std::vector<Index>> cut_into_patches(const OperatorView& op,
                                                               const std::vector<std::int32_t>& nearest,
                                                               Index landmarks, Index patch_size, Index group_size);

}  // namespace cairn
