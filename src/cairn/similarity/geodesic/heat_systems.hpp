// The matrices of the heat method, factored. Private to this folder.
#pragma once

#include <optional>

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/similarity/geodesic/heat_gradient.hpp"
#include "cairn/similarity/geodesic/supernodal_factor.hpp"

namespace cairn {

/// What geodesic distances need of a mesh, once per node, on its intrinsic Delaunay triangulation or its own triangles.
/// Rows of the factors and corners of the triangles are in the factors' order; position[v] is the row of vertex v.
struct HeatSystems {
  SupernodalFactor heat;                       ///< D + t L
  SupernodalFactor poisson;                    ///< L, the first vertex of each component tied to 0
  std::optional<SupernodalFactor> swallowing;  ///< D + t L with heat 0 on the boundary
  NodeArray<std::int32_t> position;
  NodeArray<double> mass;               ///< D_vv
  NodeArray<FlatTriangle> triangles;    ///< ascending by their first row
  NodeArray<std::int32_t> on_boundary;  ///< 1 for vertices of the boundary; with `swallowing` alone
  NodeArray<std::int32_t> component;    ///< of each vertex; if there are several
  EdgeFlips flips;                      ///< that made the triangles of the mesh Delaunay
  double mean_edge = 0.0;               ///< its length, on the Delaunay triangulation
  [[nodiscard]] bool connected() const { return component.empty(); }
};

/// @param time_factor  t over the square of the mean edge length, @param average  `swallowing` is wanted where the
/// mesh has a boundary, @param flip  as intrinsic_delaunay. @throws as make_geodesic. Collective.
[[nodiscard]] HeatSystems make_heat_systems(const Communicator& communicator, const TriangleMesh& mesh,
                                            double time_factor, bool average, bool flip);

}  // namespace cairn
