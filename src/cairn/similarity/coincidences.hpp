// Objects that are both rows and columns of a tile.
#pragma once

#include <utility>
#include <vector>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// All positions (a, b) such that row a and column b are one object, in the order of b; none if the blocks are of
/// different sets. Fast if the numbers of the rows are consecutive.
[[nodiscard]] std::vector<std::pair<Index, Index>> coincidences(const ObjectBlock& rows, const ObjectBlock& columns);

}  // namespace cairn
