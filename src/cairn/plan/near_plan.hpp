// What exact entries of near objects take.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// What lives beside data and factors while they are looked for. Local.
[[nodiscard]] CostStage near_stage(const PlanInput& input);
/// This rank's part of S, at most. Local.
[[nodiscard]] Index near_bytes(const PlanInput& input);
/// Of S in the file: half of the nearest are mutual. Local.
[[nodiscard]] Index near_file_bytes(const PlanInput& input);
/// Of all ranks, at most: every pair of an object and its candidates once, and the diagonal. Local.
[[nodiscard]] Index near_evaluations(const PlanInput& input);
/// @param width  columns of the factors. Local.
[[nodiscard]] double near_seconds(const PlanInput& input, Index width, const PlanRates& rates);
/// Of the whole rows that check them. Local.
[[nodiscard]] double near_check_seconds(const PlanInput& input, const PlanRates& rates);

}  // namespace cairn
