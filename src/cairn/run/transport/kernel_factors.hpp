// Factors of the kernel of a transport. Private to this folder.
#pragma once

#include "cairn/run/computation/computation.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// The points of both sides, their list, and the approximation of exp(-cost / epsilon) between them.
template <class T>
struct KernelProblem {
  const Execution& execution;
  const Measure<T>&source, &target;
  const InterleavedRows& rows;
  const SimilarityChoice& similarity;
  const MethodChoice& method;
  const RunResources& budget;
  /// True: only entries between a source and a target matter. Coefficients are then chosen by these alone, if the
  /// method takes a K whose columns represent other objects than its rows. False: entries of all pairs of points
  /// matter.
  bool across = false;
};

/// K ~ L J Lᵀ for the points of both sides, with rows of L in the order of the list. @throws as compute(). Collective.
template <class T>
[[nodiscard]] Computed<T> kernel_factors(const KernelProblem<T>& problem);

}  // namespace cairn
