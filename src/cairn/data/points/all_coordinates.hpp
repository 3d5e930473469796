// Sparse points that are held with all coordinates beside their entries.
#pragma once

#include <string>

#include "cairn/data/points/point_set.hpp"

namespace cairn {

/// Sees to it that there is memory for all coordinates of sparse points, in numbers of `value_bytes`, and says in the
/// log what that takes. @param what  is computed of them @throws Error(resource) if a node has no memory for them.
/// Collective.
template <class T>
void announce_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what,
                              Index value_bytes);

}  // namespace cairn
