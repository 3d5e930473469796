// Farthest landmarks by a single-source distance, whose number grows.
#pragma once

#include <memory>

#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// The growth of select_farthest by input.nearest, or else input.rows. @throws Error(usage) if that is not a distance.
/// Collective.
template <class T>
[[nodiscard]] std::unique_ptr<LandmarkGrowth<T>> grow_farthest_sources(const SelectionInput<T>& input);

}  // namespace cairn
