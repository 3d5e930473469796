// Range of epsilon for a transport between given points. Private to this folder.
#pragma once

#include "cairn/parameters/values.hpp"
#include "cairn/task/transport/measure.hpp"

namespace cairn {

/// Compares epsilon with an upper bound of the cost: the cost between opposite corners of the box around all points, or
/// between points as far from its middle, or from the origin, as the farthest ones, if that is less.
/// @param values  of transport_parameters() @return that bound
/// @throws Error(usage) if cost / epsilon has no digits after the decimal point in numbers of type T, or if exp(-cost /
/// epsilon) is 1 up to rounding for all pairs; Error(numeric) if the bound is not finite. Collective.
template <class T>
[[nodiscard]] double require_epsilon_in_reach(const Communicator& communicator, const Measure<T>& source,
                                              const Measure<T>& target, const Values& values);

}  // namespace cairn
