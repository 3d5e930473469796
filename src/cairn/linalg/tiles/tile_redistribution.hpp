// Conversion of symmetric tiles to the block-cyclic layout.
#pragma once

#include <memory>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// A symmetric matrix in tiles as block-cyclic, both triangles. Entries are sent in rounds of 32 MiB per rank.
/// Collective.
[[nodiscard]] BlockCyclicMatrix to_block_cyclic(std::shared_ptr<const ProcessGrid> grid, const SymmetricTiles& tiles);

}  // namespace cairn
