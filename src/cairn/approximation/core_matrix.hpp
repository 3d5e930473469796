// The small core matrix J of K ~ L J Rᵀ.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// J = I.
struct IdentityCore {
  Index size = 0;
};

/// J = diag(values), replicated.
struct DiagonalCore {
  std::vector<double> values;
};

/// J dense, p x q, block-cyclic.
struct DenseCore {
  BlockCyclicMatrix matrix;
};

/// J symmetric and large, one triangle stored.
struct TiledCore {
  SymmetricTiles matrix;
};

using CoreMatrix = std::variant<IdentityCore, DiagonalCore, DenseCore, TiledCore>;

/// @throws Error(internal) for tiles, which may be in a file. Local.
[[nodiscard]] CoreMatrix copy_of(const CoreMatrix& core_matrix);
[[nodiscard]] Index core_matrix_rows(const CoreMatrix& core_matrix);
[[nodiscard]] Index core_matrix_columns(const CoreMatrix& core_matrix);
/// "identity", "diagonal", "dense" or "symmetric-tiles": the name of the layout in the file.
[[nodiscard]] const char* core_layout(const CoreMatrix& core_matrix);

}  // namespace cairn
