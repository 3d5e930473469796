// Objects that are both rows and columns of a tile.
#pragma once

#include <utility>
#include <vector>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// All positions (a, b) at which row a and column b are the same object, in the order of b. Empty if the blocks belong
/// to different sets. Fast if the ids of the rows are consecutive.
[[nodiscard]] std::vector<std::pair<Index, Index>> coincidences(const ObjectBlock& rows, const ObjectBlock& columns);

}  // namespace cairn
