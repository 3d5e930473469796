// What a run of biharmonic interpolation will take. A pure function of sizes.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Memory, evaluations and bytes on disk of P and W.
///
/// P has min(p-row, l) nonzeros a row, W l² / 2 numbers. Memory is the largest of the phases: the similarity and its
/// hierarchy or factors are made; columns of P are solved for; columns become rows; P is rounded (single precision); W
/// is made slab by slab; rows of K are compared. What is known only when it is made, sizes of factors and hierarchies,
/// is taken as it was measured on road networks (path lengths) and surfaces (geodesics). What is held once per node is
/// counted in every rank, as the system counts it, and once in node_bytes. Where approximation.joining-storage is auto
/// and W does not fit input.memory_limit, it is planned on disk. Local.
[[nodiscard]] Plan plan_biharmonic(const PlanInput& input);

/// Sources that its similarity takes at a time (SourceSimilarity::batch). Local.
[[nodiscard]] Index source_batch(const PlanInput& input);

/// Parts of rows of K that a rank sends and receives at once while they are compared. Local.
[[nodiscard]] Index travelling_bytes(const PlanInput& input, Index own_rows);

/// What a rank takes of that beside P, W in memory and the similarity, while W is made and rows are compared. Local.
[[nodiscard]] Index work_beside_joining(const PlanInput& input);

}  // namespace cairn
