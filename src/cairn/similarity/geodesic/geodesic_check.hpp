// Plausibility check of distances along a surface.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Shares, from 0 to 1, of a sample of distances that contradict bounds known without computing them.
///
/// The heat method has an error of one or two percent and smooths over about an edge length. A value contradicts a
/// bound if it misses it by more than 5 % and half the mean edge together. On meshes of good triangles no value does,
/// or some in a thousand where a surface is rough.
struct GeodesicCheck {
  static constexpr double relative_tolerance = 0.05;
  static constexpr double edge_tolerance = 0.5;  ///< in mean edge lengths
  static constexpr double warned_share = 0.01;   ///< a larger share is worth a warning
  static constexpr double refused_share = 0.2;   ///< distances with a larger share are useless
  static constexpr double coarse_edge = 0.1;     ///< a larger ratio of mean edge to longest path is a warning: errors
                                                 ///< and the tolerance are then a considerable part of K

  Index sources = 0;         ///< vertices whose distances to all others were computed
  double negative = 0.0;     ///< below 0, without any tolerance
  double below_line = 0.0;   ///< shorter than the straight line
  double above_edges = 0.0;  ///< longer than the shortest path along edges of the mesh
  double asymmetric = 0.0;   ///< share of the pairs of sources: different from i to j and from j to i
  double mean_edge = 0.0;
  double longest = 0.0;  ///< longest of the shortest paths along edges from these vertices

  /// True if the mesh is too coarse for the method, and for this check to detect that.
  [[nodiscard]] bool coarse() const { return mean_edge > coarse_edge * longest; }
  /// Sentences on what makes the distances doubtful. @param key  of the time step
  [[nodiscard]] std::vector<std::string> warnings(const std::string& key) const;
  /// The largest share.
  [[nodiscard]] double worst() const;
  /// All shares and their tolerance, in a sentence.
  [[nodiscard]] std::string summary() const;
};

/// Distances from vertices to targets: out(a, b) from sources[a] to the b-th target. Local.
using DistancesToTargets =
    std::function<void(std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out)>;

/// Checks the distances from 32 vertices, evenly spread over the numbers of the largest component, to all its vertices.
/// The sources are assigned to ranks. The result is the same on every rank, for any number of ranks.
/// @param distances  called with 1 to `batch` sources at a time
/// @param mean_edge  unit of the tolerance
/// Memory: 80 bytes per vertex once per node; 8 (batch + 3) per vertex on each rank. Collective.
[[nodiscard]] GeodesicCheck check_geodesics(const Communicator& communicator, const TriangleMesh& mesh,
                                            double mean_edge, Index batch, const DistancesToTargets& distances);

}  // namespace cairn
