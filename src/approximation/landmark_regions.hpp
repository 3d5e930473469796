// Which landmark is next to a vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "approximation/operator_view.hpp"

namespace cairn {

/// For every vertex the position of the landmark that it is nearest to in numbers of edges (of equal ones the one that
/// a breadth-first search from all landmarks at once, in their order, meets first). O(n + arcs). Local. Memory: 8 bytes
/// a vertex.
/// @throws Error(numeric) where a component holds no landmark: names its smallest vertex and its size
[[nodiscard]] std::vector<std::int32_t> nearest_landmarks(const OperatorView& op, const std::vector<Index>& landmarks);

}  // namespace cairn
