// Variances of what a regression on centers predicts; computed by the folder centers.
#pragma once

#include <memory>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Variances, without their scale s, of the values of this rank's rows of `objects`: at least lambda, which rounding
/// could pass. @param root  centers x rank, row-major Collective.
template <class T>
[[nodiscard]] std::vector<double> variances_by_centers(const Execution& execution, const Similarity<T>& similarity,
                                                       const ObjectSet& objects,
                                                       std::shared_ptr<const ObjectBlock> centers,
                                                       const std::vector<double>& root, double lambda,
                                                       const std::vector<Index>& rows);

}  // namespace cairn
