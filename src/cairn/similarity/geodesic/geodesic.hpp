// Geodesic distances on triangle meshes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/geodesic/geodesic_check.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// SourceTraits::batch of geodesic distances.
inline constexpr Index geodesic_batch = 16;

struct GeodesicParameters {
  double time_factor = 1.0;  ///< time step of the heat, in squares of the mean edge length
  /// For a surface with boundary: average (of the heat with Neumann and with Dirichlet conditions, which bends
  /// distances least) or neumann (Neumann conditions alone, which needs one factor less).
  std::string boundary = "average";
  bool flip_edges = true;  ///< false: use the triangles of the mesh, not its intrinsic Delaunay triangulation
  KeyNames keys{};         ///< names of time-factor and boundary
};

/// Geodesic distances, with their edge flips and their check.
class Geodesic : public SourceSimilarity {
 public:
  [[nodiscard]] const EdgeFlips& flips() const { return flips_; }
  [[nodiscard]] const GeodesicCheck& check() const { return check_; }
  /// Names of its parameters in messages.
  [[nodiscard]] const KeyNames& keys() const { return keys_; }

 protected:
  using SourceSimilarity::SourceSimilarity;

  EdgeFlips flips_;
  GeodesicCheck check_;
  KeyNames keys_;
};

/// The heat method: heat u flows from the source for a short time t, (D + t L) u = delta. Distances are the function
/// whose gradient is nearest to X = -grad u / |grad u|: L phi = -div X, shifted to 0 at the source. L and D are the
/// stiffness and lumped mass matrices of cotangent_operator. They, gradients and divergences are those of the intrinsic
/// Delaunay triangulation of the mesh (see intrinsic_delaunay), because heat flows inaccurately over long thin
/// triangles. [Crane, Weischedel and Wardetzky 2013; Sharp and Crane 2020]
///
/// The error is that of linear elements, one or two percent. Distances from i and from j differ by as much, so
/// symmetric_by_construction is false. Near the source, values may be slightly below 0 on coarse meshes.
///
/// Two sparse factors (three for `average` with a boundary) are made here by one rank of each node, and are held once
/// per node with the triangles in the factors' order (40 bytes each). A block of sources takes 256 bytes per vertex in
/// each thread (384 with the third factor). A sample of distances is checked (see check_geodesics); it does not count
/// as evaluations.
/// @throws Error(usage) for a time factor that is not positive or an unknown boundary, Error(input) if triangles have
///   no area, Error(resource) if a factor does not fit, Error(numeric) if more than a fifth of the sample cannot be
///   distances (the caller warns of smaller shares). Later, Error(numeric) names two vertices that lie in different
///   components, or between which the heat underflows (about 1,300 mean edges), and the remedy.
/// Collective.
[[nodiscard]] std::unique_ptr<Geodesic> make_geodesic(const Communicator& communicator, const TriangleMesh& mesh,
                                                      const GeodesicParameters& parameters);

/// Reasons not to trust some of the geodesics, according to the sample. @param sources  of any kind, or null. Local.
[[nodiscard]] std::vector<std::string> warnings_of(const SourceSimilarity* sources);

[[nodiscard]] const SimilarityDescriptor& geodesic_similarity();

}  // namespace cairn
