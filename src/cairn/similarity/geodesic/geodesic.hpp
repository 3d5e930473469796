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
  double time_factor = 1.0;  ///< the time step of the heat is this times the square of the mean edge length
  /// Of a surface with boundary: average (of the heat that no boundary stops and the heat that it swallows, which bends
  /// distances least) or neumann (the first alone, a factor less).
  std::string boundary = "average";
  bool flip_edges = true;  ///< false: on the triangles of the mesh, not on its intrinsic Delaunay triangulation
  KeyNames keys{};         ///< of time-factor, boundary
};

/// Geodesic distances, and what is known of them as a whole.
class Geodesic : public SourceSimilarity {
 public:
  [[nodiscard]] const EdgeFlips& flips() const { return flips_; }
  [[nodiscard]] const GeodesicCheck& check() const { return check_; }
  /// How messages name its parameters.
  [[nodiscard]] const KeyNames& keys() const { return keys_; }

 protected:
  using SourceSimilarity::SourceSimilarity;

  EdgeFlips flips_;
  GeodesicCheck check_;
  KeyNames keys_;
};

/// The heat method: heat u flows from the source for a short time t, (D + t L) u = delta; distances are the function
/// whose gradient is nearest to X = -grad u / |grad u|: L phi = -div X, shifted to 0 at the source. L and D are the
/// stiffness and lumped mass matrices of cotangent_operator; these, gradients and divergences live on the intrinsic
/// Delaunay triangulation of the mesh (see intrinsic_delaunay), since heat does not flow as it should over long thin
/// triangles. [Crane, Weischedel and Wardetzky 2013; Sharp and Crane 2020]
///
/// The error is that of linear elements, about a percent or two. Distances from i and from j differ by as much:
/// symmetric_by_construction is false. Near the source values may fall a little below 0 on coarse meshes.
///
/// Two sparse factors (three for `average` with a boundary) are made here, by one rank of each node, and held once per
/// node with the triangles in the factors' order (40 bytes each). A block of sources takes 256 bytes a vertex in each
/// thread (384 with the third factor). A sample of distances is checked (see check_geodesics), which is not counted as
/// evaluations.
/// @throws Error(usage) for a time factor that is not positive or an unknown boundary, Error(input) if triangles
///   have no area, Error(resource) if a factor does not fit, Error(numeric) if more than a fifth of the
///   sample cannot be distances: the caller warns of less. Later Error(numeric) names two vertices that lie in
///   different components, or to which no heat comes that a double can hold (some 1,300 mean edges away): what to do.
/// Collective.
[[nodiscard]] std::unique_ptr<Geodesic> make_geodesic(const Communicator& communicator, const TriangleMesh& mesh,
                                                      const GeodesicParameters& parameters);

/// Why some of the geodesics are not to be trusted, where a sample says so. @param sources  of any kind, or null.
/// Local.
[[nodiscard]] std::vector<std::string> warnings_of(const SourceSimilarity* sources);

[[nodiscard]] const SimilarityDescriptor& geodesic_similarity();

}  // namespace cairn
