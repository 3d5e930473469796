// Similarities of points that depend on nothing but their differences.
#pragma once

#include "cairn/data/data_kind.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Whether values do not change if all points are moved alike: functions of a distance between points, of no points at
/// all (a matrix that is read, noise), and composites of such. Local.
[[nodiscard]] bool depends_on_differences(const SimilarityChoice& choice);

/// The choice for points that were moved when they were read (a shift beside the scaling `none`): gamma = scale is the
/// number that it is for the points as they were, in parts of composites, too. Other choices stay. Collective.
template <class T>
[[nodiscard]] SimilarityChoice for_moved_points(const Execution& execution, const Data<T>& data,
                                                const SimilarityChoice& choice);

}  // namespace cairn
