#include "cairn/approximation/biharmonic/local/patch_reach.hpp"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/local/partial_solve.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

// Grouping of landmarks that are solved together.

// The adjacency graph of regions, in compressed rows, as METIS requires it.
struct RegionGraph {
  explicit RegionGraph(const LandmarkRegions& regions) {
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(regions.size()); ++k) {
      sizes.push_back(static_cast<idx_t>(regions.members(k).size()));
      const auto others = regions.touching(k), edges = regions.crossings(k);
      neighbors.insert(neighbors.end(), others.begin(), others.end());
      crossings.insert(crossings.end(), edges.begin(), edges.end());
      starts.push_back(static_cast<idx_t>(neighbors.size()));
    }
  }
  std::vector<idx_t> starts{0}, neighbors, crossings, sizes;
};

// The part number of each landmark.
std::vector<idx_t> partition(RegionGraph& graph, idx_t parts) {
  auto size = static_cast<idx_t>(graph.sizes.size());
  std::vector<idx_t> part(graph.sizes.size(), 0);
  if (parts <= 1) return part;
  idx_t constraints = 1, cut = 0, options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(graph.neighbors.size())));
  const int status =
      METIS_PartGraphKway(&size, &constraints, graph.starts.data(), graph.neighbors.data(), graph.sizes.data(), nullptr,
                          graph.crossings.data(), &parts, nullptr, nullptr, options, &cut, part.data());
  if (status == METIS_ERROR_MEMORY) throw Error(ErrorKind::resource, "METIS has no memory to cut the landmarks");
  if (status != METIS_OK) throw Error(ErrorKind::internal, "METIS failed to cut the landmarks into patches");
  return part;
}

// Orders landmarks by recursive bisection.
class Halving {
 public:
  Halving(const RegionGraph& graph, std::size_t group_size)
      : graph_(graph), group_size_(group_size), member_(graph.sizes.size(), 0) {}

  void order(std::span<idx_t> landmarks) {
    if (landmarks.size() <= group_size_) return;
    const idx_t far = breadth_first(landmarks, landmarks.front()).back();  // at one end of the patch
    std::ranges::copy(breadth_first(landmarks, far), landmarks.begin());
    const std::size_t groups = (landmarks.size() + group_size_ - 1) / group_size_;
    const std::size_t half = groups / 2 * group_size_;
    order(landmarks.first(half));
    order(landmarks.subspan(half));
  }

 private:
  void mark(idx_t k) { member_[k] = 1; }

  // All of `landmarks` in breadth-first order from `first`, restarted from any landmark that cannot be reached.
  const std::vector<idx_t>& breadth_first(std::span<const idx_t> landmarks, idx_t first) {
    for (const idx_t k : landmarks) mark(k);
    queue_.clear();
    const auto visit = [&](idx_t k) {
      if (member_[k] == 0) return;
      member_[k] = 0;
      queue_.push_back(k);
    };
    std::size_t head = 0;
    const auto spread = [&] {
      for (; head < queue_.size(); ++head) {
        const auto k = static_cast<std::size_t>(queue_[head]);
        for (idx_t arc = graph_.starts[k]; arc < graph_.starts[k + 1]; ++arc) {
          visit(graph_.neighbors[arc]);
        }
      }
    };
    visit(first);
    spread();
    for (const idx_t k : landmarks) visit(k), spread();
    return queue_;
  }

  const RegionGraph& graph_;
  std::size_t group_size_;
  std::vector<char> member_;  // 1: in the current part, and not yet visited
  std::vector<idx_t> queue_;
};

// Cuts the landmarks into compact patches of about `patch_size`, and orders each patch so that every run of
// `group_size` from its start is a neighborhood again.
//
// Works on the graph of the landmarks' regions, l vertices; the weight of an edge is the number of graph edges between
// two regions. Uses METIS's k-way partition, balanced by vertices, then bisection in breadth-first order. Local.
// @return positions of landmarks, each once
std::vector<std::vector<Index>> cut_into_patches(const LandmarkRegions& regions, Index patch_size, Index group_size) {
  RegionGraph graph(regions);
  const Index parts = (regions.size() + patch_size - 1) / patch_size;
  const std::vector<idx_t> part = partition(graph, static_cast<idx_t>(parts));
  std::vector<std::vector<idx_t>> patches(parts);
  for (std::size_t k = 0; k < part.size(); ++k) {
    patches[part[k]].push_back(static_cast<idx_t>(k));
  }
  std::vector<std::vector<Index>> tiles;
  Halving halving(graph, static_cast<std::size_t>(group_size));
  for (std::vector<idx_t>& patch : patches) {
    if (patch.empty()) continue;
    halving.order(patch);
    tiles.emplace_back(patch.begin(), patch.end());
  }
  return tiles;
}

constexpr Index patch_landmarks = 1000;    // number of landmarks per patch
constexpr double largest_share = 0.5;      // of the vertices in a patch: above it one patch contains all
constexpr double dense_tolerance = 1e-11;  // a row of dense P sums hundreds of columns and must be accurate to 1e-8

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
  const double side = std::sqrt(static_cast<double>(std::min(landmarks, patch_landmarks))) + 2.0 * rings;  // in regions
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
