// The largest entries of a column of P.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "approximation/interpolation.hpp"

namespace cairn {

/// The `kept` entries of largest magnitude (of equal ones those of the lowest vertex), or all that are not zero where
/// kept is 0, with the norms of what is kept and dropped. O(size). Local.
/// @param vertices  ascending @param values  one a vertex
[[nodiscard]] ColumnSolver::Column select_largest(Index landmark, std::span<const std::int32_t> vertices,
                                                  std::span<const double> values, Index kept);

}  // namespace cairn
