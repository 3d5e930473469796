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

/// @throws Error(input) for a mesh in several pieces: how large the largest are, and their first vertices in the file.
/// Collective.
void require_connected(const Communicator& communicator, const TriangleMesh& mesh);

/// @throws Error(input) for a mesh with a piece that holds none of the landmarks: its first vertex in the file, its
/// size. Collective.
void require_landmarks_everywhere(const Communicator& communicator, const TriangleMesh& mesh,
                                  const std::vector<Index>& landmarks);

/// A sentence where the data are a graph of high mean degree without small separators, which biharmonic interpolation
/// is not made for. Collective.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of_separators(const Communicator& communicator, const Data<T>& data);

/// What reading the data changed or ignored, and whether rows have other numbers in the file, in sentences for the
/// user. Local.
template <class T>
[[nodiscard]] std::vector<std::string> notes_of(const Data<T>& data);

/// What reading found that makes the result doubtful, in sentences for the user. Local.
template <class T>
[[nodiscard]] std::vector<std::string> warnings_of(const Data<T>& data);

}  // namespace cairn::app
