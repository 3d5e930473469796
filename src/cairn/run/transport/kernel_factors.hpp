// Factors of the kernel of a transport. Private to this folder.
#pragma once

#include "cairn/run/computation/computation.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// The points of both sides, their list, and how exp(-cost / epsilon) of them is approximated.
template <class T>
struct KernelProblem {
  const Execution& execution;
  const Measure<T>&source, &target;
  const InterleavedRows& rows;
  const SimilarityChoice& similarity;
  const MethodChoice& method;
  const RunRoom& room;
  /// Only entries of a source and a target count: coefficients are chosen by these alone, if the method takes a K whose
  /// columns stand for other objects than its rows. Else those of all pairs of points.
  bool across = false;
};

/// K ~ L J Lᵀ for the points of both sides, rows of L as the list has them. @throws as compute(). Collective.
template <class T>
[[nodiscard]] Computed<T> kernel_factors(const KernelProblem<T>& problem);

}  // namespace cairn
