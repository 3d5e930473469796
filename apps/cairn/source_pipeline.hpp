// P and W of graphs, meshes and points.
#pragma once

#include "pipeline.hpp"

namespace cairn::app {

/// From a graph, mesh or points to P and W, and their error over rows. @param start  as in compute. Collective.
template <class T>
[[nodiscard]] Outcome<T> compute_biharmonic(const Execution& execution, const Settings& settings, const Data<T>& data,
                                            std::chrono::steady_clock::time_point start);

}  // namespace cairn::app
