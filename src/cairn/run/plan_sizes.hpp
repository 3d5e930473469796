// From a run to the sizes that a plan is made from. Private to this folder.
#pragma once

#include "cairn/approximation/method.hpp"
#include "cairn/run/planning.hpp"
#include "cairn/run/similarity_matrix.hpp"

namespace cairn {

/// Bytes that a rank takes beside W, while it is made and rows are compared. Collective.
template <class T>
[[nodiscard]] Index work_beside_tiles(const Session& session, const SimilarityMatrix<T>& matrix,
                                      const MethodDescriptor& method, const Values& values, Index landmarks);

}  // namespace cairn
