// Sizes and number of the patches of a graph.
#pragma once

#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"

namespace cairn {

/// Number of successive regions over which a column of P decays to `value`: on road networks and grids 8 to 12 for 1e-6
/// and 11 to 15 for 1e-9, independent of n / l.
[[nodiscard]] double rings_down_to(double value);

/// Initial sizes of patches and neighborhoods.
struct Reach {
  Reach(Index vertices, Index landmarks, const InterpolationParameters& parameters);
  /// Number of vertices in a disc around a cluster of `group` landmarks; x n / l vertices if it is one landmark.
  [[nodiscard]] Index vertices_around(std::size_t group, double x) const;

  double worth;        ///< n / l
  double tolerance;    ///< bound of values at a patch's edge
  double margin;       ///< rings of regions in a patch around its landmarks
  double kept = 45.0;  ///< number of vertices over n / l at which columns are known to be kept; else an initial guess
};

/// The landmarks of a patch and rings around them. Local.
[[nodiscard]] RegionSet regions_of_patch(const LandmarkRegions& all, const Reach& reach,
                                         const std::vector<Index>& members, double margin);

/// The share of the vertices in each of the first patches of make_local_solver, if the graph is as wide as it is long;
/// 1 if that is more than half. Local.
[[nodiscard]] double patch_share(Index vertices, Index landmarks, const InterpolationParameters& parameters);

/// The landmarks of each patch, about 1000, in the order of cut_into_patches for groups of `lanes`. If patches with
/// their margins are more than half of the graph, both by patch_share and by their actual sizes, there is one patch of
/// the whole graph: it has fewer vertices than they have together. Local.
[[nodiscard]] std::vector<std::vector<Index>> patches_of(const LandmarkRegions& regions, Index vertices,
                                                         const InterpolationParameters& parameters);

}  // namespace cairn
