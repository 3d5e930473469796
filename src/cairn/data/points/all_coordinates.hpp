// Sparse points that are also stored with all coordinates.
#pragma once

#include <string>

#include "cairn/data/points/point_set.hpp"

namespace cairn {

/// Ensures that there is memory for all coordinates of sparse points, in numbers of `value_bytes`, and logs its size.
/// @param what  what is computed from the coordinates @throws Error(resource) if a node does not have the memory.
/// Collective.
template <class T>
void announce_all_coordinates(const Communicator& communicator, const PointSet<T>& points, const std::string& what,
                              Index value_bytes);

}  // namespace cairn
