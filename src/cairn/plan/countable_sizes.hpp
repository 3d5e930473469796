// Sizes that a plan can count with.
#pragma once

#include "cairn/plan/plan_model.hpp"

namespace cairn {

/// Costs are products of two of the sizes that this looks at, and of small numbers. Local.
/// @throws Error(resource) if an Index would not count them
void require_countable(const PlanInput& input);

}  // namespace cairn
