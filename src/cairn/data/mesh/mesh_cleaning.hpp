// Checks and repairs of a mesh that was just read, whole on one rank. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/data/mesh/mesh_file.hpp"

namespace cairn {

/// @throws Error(input) that names the place of the first triangle with a vertex that is not there or is there twice
void check_triangles(const MeshFile& mesh);

/// Triangles of an area of at most 1e-12 times the square of their longest side: their cotangents mean nothing.
[[nodiscard]] Index count_degenerate(const MeshFile& mesh);
/// Leaves them out; how many they were.
Index drop_degenerate(MeshFile& mesh);

/// Keeps the vertices with keep[v], and the triangles all of whose vertices stay. `numbers` maps the vertices that stay
/// to those of the file: it is made if it is empty.
void keep_vertices(MeshFile& mesh, const std::vector<bool>& keep, std::vector<Index>& numbers);

/// Vertices that are a corner of a triangle.
[[nodiscard]] std::vector<bool> used_vertices(const MeshFile& mesh);

/// Edges with one triangle. @throws Error(input) that names the first edge with three triangles or more.
[[nodiscard]] Index count_boundary_edges(const MeshFile& mesh);

/// The component of each vertex (numbered by their smallest vertex in ascending order from 0) and their number.
struct MeshComponents {
  std::vector<Index> of_vertex;
  std::vector<Index> sizes;  ///< vertices
};
[[nodiscard]] MeshComponents mesh_components(Index vertices, std::span<const Index> triangles);

}  // namespace cairn
