// What a run of biharmonic interpolation will take. A pure function of sizes.
#pragma once

#include "plan_model.hpp"

namespace cairn::app {

/// Memory, evaluations and bytes on disk of P and W over a graph.
///
/// P has min(p-row, l) nonzeros a row, W l² / 2 numbers. What the factor of the operator takes is known only when it is
/// made: the plan takes factor_entries_of_roads entries a vertex, as road networks have them, and for another
/// graph says so. What is held once per node is counted in every rank, as the system counts it. Local.
[[nodiscard]] Plan plan_biharmonic(const PlanInput& input);

/// Entries of a Cholesky factor of M_uu a vertex, measured on road networks with a landmark in 15 vertices.
inline constexpr Index factor_entries_of_roads = 11;

}  // namespace cairn::app
