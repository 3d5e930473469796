// Meshes in several pieces.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn {

/// @param key  what keeps the largest piece: "data.largest-component"
/// @throws Error(input) for a mesh in several pieces: how large the largest are, and their first vertices in the file.
/// Collective.
void require_connected(const Communicator& communicator, const TriangleMesh& mesh, const std::string& key);

/// @throws Error(input) for a mesh with a piece that holds none of the landmarks: its first vertex in the file, its
/// size. Collective.
void require_landmarks_everywhere(const Communicator& communicator, const TriangleMesh& mesh,
                                  const std::vector<Index>& landmarks, const std::string& key);

}  // namespace cairn
