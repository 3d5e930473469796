// Graphs and meshes as the settings name them.
#pragma once

#include <string>
#include <vector>

#include "pipeline.hpp"

namespace cairn::app {

/// Reads or generates the graph that [data] names. @throws Error(input) where it is in several pieces and
/// data.largest-component is not set. Collective.
template <class T>
[[nodiscard]] Data<T> load_graph(const Execution& execution, const Settings& settings);

/// Reads or generates the mesh that [data] names. Collective.
template <class T>
[[nodiscard]] Data<T> load_mesh(const Execution& execution, const Settings& settings);

/// What reading a graph or mesh changed, in sentences for the user. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const Data<T>& data);

}  // namespace cairn::app
