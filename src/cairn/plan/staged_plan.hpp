// The plan of a run that takes whole rows of K. A pure function of sizes.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Memory, evaluations and bytes on disk: the largest of the stages of the similarity, of the method (StagedCost) and
/// of the error estimate, which compares whole rows. Memory held once per node is counted on every rank, as the system
/// counts it, and once in node_bytes. If data that the method may keep on disk does not fit into memory_limit, the plan
/// puts it on disk. Local.
[[nodiscard]] Plan plan_stages(const PlanInput& input);

/// Bytes of the data, once they are read. Local.
[[nodiscard]] Index staged_data_bytes(const PlanInput& input);

/// Memory of a rank beside the left factor, tiles in memory and the similarity, while these are created and rows are
/// compared. Local.
[[nodiscard]] Index work_beside_tiles(const PlanInput& input);

}  // namespace cairn
