// The small middle factor J of K ~ L J Rᵀ.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// J = I.
struct IdentityJoining {
  Index size = 0;
};

/// J = diag(values), replicated.
struct DiagonalJoining {
  std::vector<double> values;
};

/// J dense, p x q, block-cyclic.
struct DenseJoining {
  BlockCyclicMatrix matrix;
};

/// J symmetric and large, half stored.
struct TilesJoining {
  SymmetricTiles matrix;
};

using Joining = std::variant<IdentityJoining, DiagonalJoining, DenseJoining, TilesJoining>;

/// @throws Error(internal) for tiles, which may be in a file. Local.
[[nodiscard]] Joining copy_of(const Joining& joining);
[[nodiscard]] Index joining_rows(const Joining& joining);
[[nodiscard]] Index joining_columns(const Joining& joining);
/// "identity", "diagonal", "dense" or "symmetric-tiles": the file's name of the layout.
[[nodiscard]] const char* joining_layout(const Joining& joining);

}  // namespace cairn
