// Which epsilon a transport between given points can take. Private to this folder.
#pragma once

#include "cairn/parameters/values.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// Holds epsilon against the largest cost that there may be: that between opposite corners of the box around all
/// points, or between points that are as far from its middle, or from the origin, as the farthest ones, if that is
/// less.
/// @param values  of transport_parameters() @return that cost
/// @throws Error(usage) if cost / epsilon has no digits behind the point in numbers of type T, or if exp(-cost /
/// epsilon) is 1 there for all pairs but for rounding; Error(numeric) if that cost is not finite. Collective.
template <class T>
[[nodiscard]] double require_epsilon_in_reach(const Communicator& communicator, const Measure<T>& source,
                                              const Measure<T>& target, const Values& values);

}  // namespace cairn
