// Cost of exact entries of near objects.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Memory beside data and factors during the search for them. Local.
[[nodiscard]] CostStage near_stage(const PlanInput& input);
/// Bytes of this rank's part of S, upper bound. Local.
[[nodiscard]] Index near_bytes(const PlanInput& input);
/// Bytes of S in the file: half of the nearest are mutual. Local.
[[nodiscard]] Index near_file_bytes(const PlanInput& input);
/// Evaluations of all ranks, upper bound: every pair of an object and its candidates once, and the diagonal. Local.
[[nodiscard]] Index near_evaluations(const PlanInput& input);
/// @param width  columns of the factors. Local.
[[nodiscard]] double near_seconds(const PlanInput& input, Index width, const PlanRates& rates);
/// Seconds for the whole rows that check them. Local.
[[nodiscard]] double near_check_seconds(const PlanInput& input, const PlanRates& rates);

}  // namespace cairn
