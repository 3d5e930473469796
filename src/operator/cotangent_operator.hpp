// The biharmonic operator of a triangle mesh.
#pragma once

#include "data/triangle_mesh.hpp"
#include "operator/biharmonic_operator.hpp"

namespace cairn {

/// Which edges of a mesh are arcs of its operator.
enum class CotangentArcs { connecting, all };

/// A_ij = (cot a_ij + cot b_ij) / 2, where a_ij and b_ij are the angles that face the edge ij (one of them on the
/// boundary), D_ii = a third of the area of the triangles at i.     [Turek and Huth 2022, equation 8]
///
/// With CotangentArcs::connecting, edges whose weight is 0 but for rounding (the diagonals of squares) are left out; with
/// `all` every edge of the mesh is an arc.
///
/// Weights are negative where the facing angles sum to more than a half turn. V - A is the stiffness matrix of linear
/// elements, positive semidefinite in any case.
/// @throws Error(input) where the mesh has triangles of zero area: how many, and how to leave them out. Collective.
/// Memory: 12 bytes an arc and 24 a vertex once per node; about 60 a triangle more on one rank of it meanwhile.
[[nodiscard]] BiharmonicOperator cotangent_operator(const Communicator& communicator, const TriangleMesh& mesh,
                                                    CotangentArcs arcs = CotangentArcs::connecting);

}  // namespace cairn
