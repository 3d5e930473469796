// Objects that are both rows and columns of a tile.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace cairn {

/// All positions (a, b) with rows[a] == columns[b] >= 0, in the order of b. Fast where the rows are neighbours.
[[nodiscard]] std::vector<std::pair<Index, Index>> coincidences(std::span<const Index> rows,
                                                                std::span<const Index> columns);

}  // namespace cairn
