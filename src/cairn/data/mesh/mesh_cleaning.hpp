// Checks and repairs of a mesh that was just read, whole on one rank. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/data/mesh/mesh_file.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn {

/// What is done with vertices at exactly equal positions, and how many there were: those that lie where one with a
/// smaller number does.
struct EqualPositions {
  bool merge = false;  ///< make them one
  Index merged = 0;
  Index kept = 0;
};
/// read_mesh, of which one rank merges or counts them; the same figures on every rank. Collective.
[[nodiscard]] TriangleMesh read_mesh(const Communicator& communicator, const MeshSource& source,
                                     EqualPositions& positions);

/// @throws Error(input) that names the place of the first triangle with a vertex that is not there
void check_triangles(const MeshFile& mesh);
/// @throws Error(input) that names the place of the first triangle with a vertex that is there twice, how many such
/// triangles there are, and the key that leaves them out
void refuse_repeated_corners(const MeshFile& mesh, const std::string& drop_key);

/// Vertices that lie exactly where one with a smaller number does. @param coordinates  x, y, z of each
[[nodiscard]] Index count_equal_positions(std::span<const double> coordinates);
/// Makes vertices at exactly equal positions one, that with the smallest number; how many went. `numbers` as in
/// keep_vertices. Triangles may then have a vertex twice.
Index merge_equal_positions(MeshFile& mesh, std::vector<Index>& numbers);

/// Triangles of an area of at most 1e-12 times the square of their longest side: their cotangents mean nothing. A
/// triangle that has a vertex twice is one.
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
