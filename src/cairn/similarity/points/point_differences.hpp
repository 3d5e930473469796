// Similarities of points that depend only on their differences.
#pragma once

#include "cairn/data/data_kind.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// True if values do not change when all points are shifted alike: for functions of a distance between points,
/// functions of no points at all (a matrix that is read, noise), and composites of these. Local.
[[nodiscard]] bool depends_on_differences(const SimilarityChoice& choice);

/// Choice for points that were shifted when they were read (a shift with the scaling `none`): gamma = scale becomes its
/// number for the original points, also in parts of composites. Other choices are unchanged. Collective.
template <class T>
[[nodiscard]] SimilarityChoice for_moved_points(const Execution& execution, const Data<T>& data,
                                                const SimilarityChoice& choice);

}  // namespace cairn
