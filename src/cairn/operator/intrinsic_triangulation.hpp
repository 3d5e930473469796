// The intrinsic Delaunay triangulation of a surface.
#pragma once

#include <array>
#include <cstdint>

#include "cairn/base/mpi/node_array.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"

namespace cairn {

/// Triangles between the vertices of a mesh that are known by the lengths of their sides, measured along the surface.
/// An edge may lead from a vertex to itself, and two triangles may share several edges. Once per node.
struct IntrinsicTriangulation {
  NodeArray<std::int32_t> corners;  ///< three vertices for each triangle
  NodeArray<double> lengths;        ///< three for each triangle: side k leads from corner k to corner (k + 1) % 3
  Index vertices = 0;
  EdgeFlips flips;           ///< of no edges, if none were to be flipped
  double mean_length = 0.0;  ///< of the edges, each counted once

  [[nodiscard]] Index triangle_count() const { return corners.size() / 3; }
  [[nodiscard]] std::array<double, 3> side_lengths(Index triangle) const {
    return {lengths[3 * triangle], lengths[3 * triangle + 1], lengths[3 * triangle + 2]};
  }
};

/// Flips edges inside the surface until the two angles that face an edge sum to at most a half turn: then no edge but
/// those of the boundary has a negative cotangent weight. The surface and its boundary stay as they are; a mesh that is
/// Delaunay already is returned unchanged.
/// [Bobenko and Springborn 2007; the flips by a map of glued sides: Sharp and Crane 2020, section 4.3]
///
/// An angle near a half turn cannot be had from lengths. Where a triangle of the mesh is so flat that two sides exceed
/// the third by less than 1e-9 of the mean edge, all lengths grow by what is missing [ibid., section 4.5].
/// @param flip  false: no edge is flipped, the triangles are those of the mesh
/// @throws Error(input) if the mesh has triangles of zero area: how many, and how to leave them out. Collective.
/// Memory: 36 bytes a triangle once per node; about 190 a triangle more on one rank of it meanwhile.
[[nodiscard]] IntrinsicTriangulation intrinsic_delaunay(const Communicator& communicator, const TriangleMesh& mesh,
                                                        bool flip = true);

}  // namespace cairn
