// What biharmonic interpolation takes. A pure function of sizes.
#pragma once

#include "cairn/approximation/method.hpp"

namespace cairn {

/// Memory, evaluations and bytes on disk of P and W.
///
/// P has min(p-row, l) nonzeros per row, W l² / 2 values. Columns of P are solved for; columns become rows; P is
/// rounded (single precision); W is made slab by slab. What is known only when it is made, the size of factors, is
/// taken as it was measured on road networks (graphs, points) and surfaces (meshes). Local.
[[nodiscard]] StagedCost biharmonic_cost(const Values& values, const CostInput& input);

}  // namespace cairn
