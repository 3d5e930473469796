// Cost of biharmonic interpolation. A pure function of sizes.
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Memory, evaluations and bytes on disk of P and W.
///
/// P has min(p-row, l) nonzeros per row, W l² / 2 values. Columns of P are computed; columns become rows; P is rounded
/// (single precision); W is computed slab by slab. Sizes of factors are known only after factorization: they are taken
/// from measurements on road networks (for graphs, points) and surfaces (for meshes). Local.
[[nodiscard]] StagedCost biharmonic_cost(const Values& values, const CostInput& input);

}  // namespace cairn
