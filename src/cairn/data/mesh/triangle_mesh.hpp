// Triangle meshes: surfaces in three dimensions, stored once per node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Findings of reading a mesh.
struct MeshReport {
  Index unused_vertices = 0;          ///< dropped: they belong to no triangle
  Index degenerate_triangles = 0;     ///< number in the file, of zero area; see MeshSource::drop_degenerate
  bool degenerate_dropped = false;    ///< they were dropped
  Index boundary_edges = 0;           ///< edges with one triangle; 0: the surface is closed
  Index components = 1;               ///< number in the file
  Index dropped_vertices = 0;         ///< outside the largest component, if only that was requested
  std::vector<Index> original_ids{};  ///< numbers in the file of this rank's vertices, from 0; empty: unchanged
  KeyNames keys{};  ///< names of parameters that select another part of the data (largest-component, drop-degenerate)
};

/// n vertices in space, numbered objects contiguous over ranks, and the triangles between them. Every edge belongs to
/// one or two triangles, no triangle has a repeated vertex, every vertex belongs to a triangle. All coordinates and
/// triangles are stored once per node: meshes have at most some millions of vertices.
class TriangleMesh final : public NumberedObjects {
 public:
  /// @param coordinates x, y, z of each vertex, @param triangles three vertices each. Local.
  TriangleMesh(const RowPartition& partition, int rank, NodeArray<double> coordinates,
               NodeArray<std::int32_t> triangles, MeshReport report);

  [[nodiscard]] Index triangle_count() const { return triangles_.size() / 3; }
  [[nodiscard]] const NodeArray<double>& coordinates() const { return coordinates_; }
  [[nodiscard]] const NodeArray<std::int32_t>& triangles() const { return triangles_; }
  /// x, y, z of a vertex of any rank.
  [[nodiscard]] const double* vertex(Index v) const { return coordinates_.values().data() + 3 * v; }
  /// The three vertices of a triangle.
  [[nodiscard]] const std::int32_t* triangle(Index t) const { return triangles_.values().data() + 3 * t; }
  [[nodiscard]] const MeshReport& report() const { return report_; }
  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;

 private:
  NodeArray<double> coordinates_;
  NodeArray<std::int32_t> triangles_;
  MeshReport report_;
};

/// A mesh that a program passes.
struct MeshArrays {
  std::vector<double> coordinates;  ///< x, y, z of each vertex
  std::vector<Index> triangles;     ///< three vertices each, from 0
};

/// Source of a mesh. Exactly one of `path`, `generator` and `arrays` is set.
struct MeshSource {
  std::string path{};                          ///< file, possibly .gz or .xz
  std::shared_ptr<const MeshArrays> arrays{};  ///< on rank 0; all ranks have some or none
  std::string format{};                        ///< obj, off, ply, gifti; empty: from the file's name
  bool largest_component = false;
  bool drop_unused = false;      ///< vertices without triangle; otherwise they are an error
  bool drop_degenerate = false;  ///< triangles of zero area; otherwise they are counted in the report
  std::string generator{};       ///< sphere, torus, swiss-roll (see generate_mesh in mesh_file.hpp)
  Index points = 0;              ///< generator: number of vertices, rounded down to what its form allows
  KeyNames keys{};               ///< names of format, largest-component, drop-unused, drop-degenerate, generate, points
};

/// Rank 0 reads and checks the mesh; it meanwhile holds the file's vertices, triangles and edges (about 250 bytes per
/// vertex). Then every node gets the mesh.
/// @throws Error(usage) for an unknown format or generator, Error(input) with file:line for invalid input, a vertex out
/// of range, a triangle with a repeated vertex, an edge with three triangles, unused vertices (with their number), no
/// triangles at all; the same on every rank. Error(resource) for 2^31 vertices or more. Collective.
[[nodiscard]] TriangleMesh read_mesh(const Communicator& communicator, const MeshSource& source);

/// Component of each vertex, numbered from 0 in the order of their smallest vertices. Local.
[[nodiscard]] std::vector<Index> components_of_vertices(const TriangleMesh& mesh);

}  // namespace cairn
