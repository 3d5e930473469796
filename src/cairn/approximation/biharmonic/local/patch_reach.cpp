#include "cairn/approximation/biharmonic/local/patch_reach.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/biharmonic/local/partial_solve.hpp"
#include "cairn/approximation/biharmonic/local/patches.hpp"

namespace cairn {

namespace {

constexpr Index patch_landmarks = 1000;    // whose columns a patch gives
constexpr double largest_share = 0.5;      // of the vertices in a patch: above it one holds them all
constexpr double dense_tolerance = 1e-11;  // a row of dense P sums over hundreds of columns: 1e-8 is asked of it

}  // namespace

double rings_down_to(double value) { return 1.0 + 1.5 * std::max(0.0, -std::log10(value)); }

Reach::Reach(Index vertices, Index landmarks, const InterpolationParameters& parameters)
    : worth(static_cast<double>(vertices) / static_cast<double>(landmarks)) {
  const bool dense = parameters.p_row == 0 || parameters.p_row >= landmarks;
  tolerance = dense ? std::min(parameters.tolerance, dense_tolerance) : parameters.tolerance;
  margin = rings_down_to(tolerance);
  if (!dense && parameters.sparsity == "columns") kept = std::max(kept, static_cast<double>(parameters.p_row));
}

Index Reach::vertices_around(std::size_t group, double x) const {
  const double side = std::sqrt(x) + std::sqrt(static_cast<double>(group)) - 1.0;
  return static_cast<Index>(std::ceil(std::min(side * side * worth, 1e15)));
}

RegionSet regions_of_patch(const LandmarkRegions& all, const Reach& reach, const std::vector<Index>& members,
                           double margin) {
  RegionSet regions(all);
  for (const Index member : members) regions.insert(static_cast<std::int32_t>(member));
  regions.spread(0, static_cast<Index>(std::ceil(margin)), reach.vertices_around(members.size(), 2.0 * reach.kept));
  return regions;
}

double patch_share(Index vertices, Index landmarks, const InterpolationParameters& parameters) {
  const double rings = Reach(vertices, landmarks, parameters).margin;
  const double side = std::sqrt(static_cast<double>(std::min(landmarks, patch_landmarks))) + 2.0 * rings;  // of regions
  const double share = side * side / static_cast<double>(landmarks);
  return share > largest_share ? 1.0 : share;
}

std::vector<std::vector<Index>> patches_of(const LandmarkRegions& regions, Index vertices,
                                           const InterpolationParameters& parameters) {
  auto patches = cut_into_patches(regions, patch_landmarks, lanes);
  if (patches.size() == 1 || patch_share(vertices, regions.size(), parameters) < 1.0) return patches;
  const Reach reach(vertices, regions.size(), parameters);
  double held = 0.0;
  for (const auto& members : patches) {
    held += static_cast<double>(regions_of_patch(regions, reach, members, reach.margin).vertices());
  }
  const double share = held / static_cast<double>(vertices) / static_cast<double>(patches.size());
  return share > largest_share ? cut_into_patches(regions, regions.size(), lanes) : patches;
}

}  // namespace cairn
