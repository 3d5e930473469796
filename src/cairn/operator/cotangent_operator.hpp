// The biharmonic operator of a triangle mesh.
#pragma once

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/operator/intrinsic_triangulation.hpp"

namespace cairn {

/// Edges of a mesh that become arcs of its operator.
enum class CotangentArcs { connecting, all };

/// A_ij = (cot a_ij + cot b_ij) / 2, where a_ij and b_ij are the angles opposite the edge ij (only one on the
/// boundary), D_ii = a third of the area of the triangles at i [Turek and Huth 2022, equation 8], on the intrinsic
/// Delaunay triangulation of the mesh [Bobenko and Springborn 2007; Sharp and Crane 2020]: weights inside the surface
/// are nonnegative, however flat the triangles of the mesh are; with `flip` false, on the triangles of the mesh.
/// Weights of edges between the same two vertices add up; an edge from a vertex to itself is not an arc.
///
/// With CotangentArcs::connecting, edges whose weight is 0 up to rounding (the diagonals of squares) are omitted; with
/// `all` every edge of the triangulation is an arc.
///
/// Weights of boundary edges are negative if the opposite angle is obtuse. V - A is the stiffness matrix of linear
/// elements, positive semidefinite in any case.
/// @throws Error(input) if the mesh has triangles of zero area: reports how many, and how to omit them. Collective.
/// Memory: 12 bytes per arc and 24 per vertex once per node; meanwhile about 60 more per triangle on one of its ranks,
/// and before that what intrinsic_delaunay takes.
[[nodiscard]] BiharmonicOperator cotangent_operator(const Communicator& communicator, const TriangleMesh& mesh,
                                                    CotangentArcs arcs = CotangentArcs::connecting, bool flip = true);

/// The same for given triangles, unchanged.
[[nodiscard]] BiharmonicOperator cotangent_operator(const Communicator& communicator,
                                                    const IntrinsicTriangulation& triangles,
                                                    CotangentArcs arcs = CotangentArcs::connecting);

}  // namespace cairn
