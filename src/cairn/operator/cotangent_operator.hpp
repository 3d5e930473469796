// The biharmonic operator of a triangle mesh.
#pragma once

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/operator/intrinsic_triangulation.hpp"

namespace cairn {

/// Which edges of a mesh are arcs of its operator.
enum class CotangentArcs { connecting, all };

/// A_ij = (cot a_ij + cot b_ij) / 2, where a_ij and b_ij are the angles that face the edge ij (one of them on the
/// boundary), D_ii = a third of the area of the triangles at i [Turek and Huth 2022, equation 8], on the intrinsic
/// Delaunay triangulation of the mesh [Bobenko and Springborn 2007; Sharp and Crane 2020]: weights inside the surface
/// are not negative, however flat the triangles of the mesh are; with `flip` false on the triangles of the mesh. Edges
/// between the same two vertices add up; one that leads from a vertex to itself is no arc.
///
/// With CotangentArcs::connecting, edges whose weight is 0 but for rounding (the diagonals of squares) are left out;
/// with `all` every edge of the triangulation is an arc.
///
/// Weights of edges on the boundary are negative where the angle that faces them is obtuse. V - A is the stiffness
/// matrix of linear elements, positive semidefinite in any case.
/// @throws Error(input) if the mesh has triangles of zero area: how many, and how to leave them out. Collective.
/// Memory: 12 bytes an arc and 24 a vertex once per node; about 60 a triangle more on one rank of it meanwhile, and
/// before that what intrinsic_delaunay takes.
[[nodiscard]] BiharmonicOperator cotangent_operator(const Communicator& communicator, const TriangleMesh& mesh,
                                                    CotangentArcs arcs = CotangentArcs::connecting, bool flip = true);

/// The same of triangles as they are.
[[nodiscard]] BiharmonicOperator cotangent_operator(const Communicator& communicator,
                                                    const IntrinsicTriangulation& triangles,
                                                    CotangentArcs arcs = CotangentArcs::connecting);

}  // namespace cairn
