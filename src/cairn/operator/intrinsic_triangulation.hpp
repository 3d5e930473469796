// The intrinsic Delaunay triangulation of a surface.
#pragma once

#include <array>
#include <cstdint>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// Triangles between the vertices of a mesh, given by the lengths of their sides, measured along the surface. An edge
/// may run from a vertex to itself, and two triangles may share several edges. Once per node.
struct IntrinsicTriangulation {
  NodeArray<std::int32_t> corners;  ///< three vertices for each triangle
  NodeArray<double> lengths;        ///< three for each triangle: side k runs from corner k to corner (k + 1) % 3
  Index vertices = 0;
  EdgeFlips flips;           ///< empty without flips
  double mean_length = 0.0;  ///< over all edges, each counted once

  [[nodiscard]] Index triangle_count() const { return corners.size() / 3; }
  [[nodiscard]] std::array<double, 3> side_lengths(Index triangle) const {
    return {lengths[3 * triangle], lengths[3 * triangle + 1], lengths[3 * triangle + 2]};
  }
};

/// Flips edges inside the surface until the two angles opposite each edge sum to at most pi: then only boundary edges
/// have negative cotangent weights. The surface and its boundary do not change; a mesh that is already Delaunay is
/// returned unchanged.
/// [Bobenko and Springborn 2007; the flips by a map of glued sides: Sharp and Crane 2020, section 4.3]
///
/// An angle near pi cannot be computed from lengths. If a triangle of the mesh is so flat that two sides exceed the
/// third by less than 1e-9 of the mean edge, all lengths grow by the missing amount [ibid., section 4.5].
/// @param flip  false: no edge is flipped, the triangles are those of the mesh
/// @throws Error(input) if the mesh has triangles of zero area: reports how many, and how to omit them. Collective.
/// Memory: 36 bytes per triangle once per node; meanwhile about 190 more per triangle on one of its ranks.
[[nodiscard]] IntrinsicTriangulation intrinsic_delaunay(const Communicator& communicator, const TriangleMesh& mesh,
                                                        bool flip = true);

}  // namespace cairn
