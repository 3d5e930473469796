// The plan of a run that takes whole rows of K. A pure function of sizes.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Memory, evaluations and bytes on disk: the largest of the stages of the similarity, of the method (StagedCost) and
/// of the estimate of the error, which compares whole rows. What is held once per node is counted in every rank, as the
/// system counts it, and once in node_bytes. What the method may keep on disk is planned there if it does not fit
/// memory_limit. Local.
[[nodiscard]] Plan plan_stages(const PlanInput& input);

/// Of the data, once they are read. Local.
[[nodiscard]] Index staged_data_bytes(const PlanInput& input);

/// What a rank takes beside the left factor, tiles in memory and the similarity, while these are made and rows are
/// compared. Local.
[[nodiscard]] Index work_beside_tiles(const PlanInput& input);

}  // namespace cairn
