// How far the patches of a graph go, and how many there are.
#pragma once

#include <vector>

#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"

namespace cairn {

/// Regions on end within which a column of P falls to `value`: on road networks and grids 8 to 12 until 1e-6 and 11 to
/// 15 until 1e-9, whatever n / l is.
[[nodiscard]] double rings_down_to(double value);

/// How far patches and neighbourhoods go at first.
struct Reach {
  Reach(Index vertices, Index landmarks, const InterpolationParameters& parameters);
  /// Vertices of x landmarks' worth around a group: a disc around a cluster.
  [[nodiscard]] Index vertices_around(std::size_t group, double x) const;

  double worth;        ///< n / l
  double tolerance;    ///< of values at a patch's edge
  double margin;       ///< rings of regions that a patch holds around its landmarks
  double kept = 45.0;  ///< landmarks' worth of vertices of which columns are known to be kept; else a beginning
};

/// Landmarks of a patch and rings around them. Local.
[[nodiscard]] RegionSet regions_of_patch(const LandmarkRegions& all, const Reach& reach,
                                         const std::vector<Index>& members, double margin);

/// The share of the vertices that the first patches of make_local_solver have, if the graph is as wide as it is long; 1
/// if that is more than half. Local.
[[nodiscard]] double patch_share(Index vertices, Index landmarks, const InterpolationParameters& parameters);

/// Landmarks of each patch, about 1000, in the order of cut_into_patches for groups of `lanes`. If patches with their
/// margins are more than half of the graph, by patch_share and as they turn out, there is one that holds it all, with
/// fewer vertices than they have together. Local.
[[nodiscard]] std::vector<std::vector<Index>> patches_of(const LandmarkRegions& regions, Index vertices,
                                                         const InterpolationParameters& parameters);

}  // namespace cairn
