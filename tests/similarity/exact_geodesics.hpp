// Exact distances along the triangles of a small mesh, which share nothing with the heat method.
#pragma once

#include <vector>

#include "cairn/data/mesh/triangle_mesh.hpp"

namespace cairn::test {

/// The lengths of the shortest paths over the surface from `source` to all vertices, exact but for rounding.
///
/// Windows, intervals of edges with the unfolded source that is seen through them, are carried from triangle to
/// triangle in the order of their distances [Mitchell, Mount and Papadimitriou 1987]; those that a path through a
/// vertex of their edge beats are dropped [Xin and Wang 2009]. Vertices where shortest paths may bend (on the boundary,
/// or with an angle above a full turn) are sources in their turn. Local; for some thousand vertices.
[[nodiscard]] std::vector<double> exact_geodesics(const TriangleMesh& mesh, Index source);

}  // namespace cairn::test
