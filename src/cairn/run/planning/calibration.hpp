// How fast this machine is, measured in a second or two.
#pragma once

#include "cairn/base/execution.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

/// Rates of one rank while all ranks measure: evaluations of the similarity on generated points of the data's
/// dimension, or on `objects`, if no points stand for the data (documents, trees), matrix products, a small
/// eigen-decomposition. The rates of the disk are assumptions. Collective.
template <class T>
[[nodiscard]] PlanRates calibrate(const Execution& execution, const SimilarityChoice& similarity,
                                  const PlanInput& input, const ObjectSet* objects);

}  // namespace cairn
