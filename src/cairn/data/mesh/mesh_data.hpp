// Meshes that a program passes, and checks for meshes in several pieces.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn {

/// The mesh of these arrays, which rank 0 passes, treated as that of a file. @param input  values of mesh_data(),
/// without a path @throws as read_mesh. Collective.
template <class T>
[[nodiscard]] Data<T> data_of(const DataInput& input, MeshArrays arrays);

/// @param key  parameter that keeps the largest piece: "data.largest-component"
/// @throws Error(input) for a mesh in several pieces, with the sizes of the largest pieces and their first vertices in
/// the file. Collective.
void require_connected(const Communicator& communicator, const TriangleMesh& mesh, const std::string& key);

/// @throws Error(input) for a mesh with a piece without landmarks, with its first vertex in the file and its size.
/// Collective.
void require_landmarks_everywhere(const Communicator& communicator, const TriangleMesh& mesh,
                                  const std::vector<Index>& landmarks, const std::string& key);

}  // namespace cairn
