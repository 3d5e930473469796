// Checks and repairs of a mesh that was just read, held entirely by one rank. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "cairn/data/mesh/mesh_file.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn {

/// Treatment and number of vertices at exactly equal positions: those at the position of a vertex with a smaller
/// number.
struct EqualPositions {
  bool merge = false;  ///< merge them
  Index merged = 0;
  Index kept = 0;
};
/// read_mesh, in which one rank merges or counts them; every rank gets the same counts. Collective.
[[nodiscard]] TriangleMesh read_mesh(const Communicator& communicator, const MeshSource& source,
                                     EqualPositions& positions);

/// @throws Error(input) that gives the position of the first triangle with a vertex that does not exist
void check_triangles(const MeshFile& mesh);
/// @throws Error(input) that gives the position of the first triangle with a repeated vertex, the number of such
/// triangles, and the key that removes them
void refuse_repeated_corners(const MeshFile& mesh, const std::string& drop_key);

/// Number of vertices exactly at the position of one with a smaller number. @param coordinates  x, y, z of each
[[nodiscard]] Index count_equal_positions(std::span<const double> coordinates);
/// Merges vertices at exactly equal positions into the one with the smallest number; returns the number of removed
/// vertices. `numbers` as in keep_vertices. Triangles may then have a repeated vertex.
Index merge_equal_positions(MeshFile& mesh, std::vector<Index>& numbers);

/// Number of degenerate triangles: the area is at most 1e-12 times the square of the longest side, so that the
/// cotangents are meaningless. Triangles with a repeated vertex are degenerate.
[[nodiscard]] Index count_degenerate(const MeshFile& mesh);
/// Removes them; returns their number.
Index drop_degenerate(MeshFile& mesh);

/// Keeps the vertices with keep[v], and the triangles whose vertices are all kept. `numbers` maps the kept vertices to
/// those of the file; it is created if it is empty.
void keep_vertices(MeshFile& mesh, const std::vector<bool>& keep, std::vector<Index>& numbers);

/// True for each vertex that is a corner of a triangle.
[[nodiscard]] std::vector<bool> used_vertices(const MeshFile& mesh);

/// Number of edges with one triangle. @throws Error(input) that names the first edge with three triangles or more.
[[nodiscard]] Index count_boundary_edges(const MeshFile& mesh);

/// Component of each vertex (numbered from 0, ascending by smallest vertex), and sizes of the components.
struct MeshComponents {
  std::vector<Index> of_vertex;
  std::vector<Index> sizes;  ///< in vertices
};
[[nodiscard]] MeshComponents mesh_components(Index vertices, std::span<const Index> triangles);

}  // namespace cairn
