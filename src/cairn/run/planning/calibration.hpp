// How fast what a run computes is, measured in a second or two.
#pragma once

#include "cairn/base/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

/// Rates of one rank while all ranks measure: evaluations of the similarity between objects of the data, spread over
/// them, or on generated points of their dimension where `objects` is null; what joining takes at its order. Disks are
/// not measured. @param known  rates of another machine, or measured before: they are taken, and what is measured here
/// is scaled by how fast both evaluate rbf. Collective.
template <class T>
[[nodiscard]] PlanRates calibrate(const Execution& execution, const SimilarityChoice& similarity,
                                  const PlanInput& input, const ObjectSet* objects,
                                  const MachineRates* known = nullptr);

/// Of these, what does not depend on the similarity: all that is known of one that comes by single sources. Collective
/// unless `known` is given.
[[nodiscard]] PlanRates machine_rates(const Execution& execution, const PlanInput& input,
                                      const MachineRates* known = nullptr);

}  // namespace cairn
