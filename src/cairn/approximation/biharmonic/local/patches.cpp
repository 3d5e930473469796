#include "cairn/approximation/biharmonic/local/patches.hpp"

#include <metis.h>

#include <algorithm>
#include <span>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

// Regions that touch, in compressed rows, as METIS takes them.
struct RegionGraph {
  explicit RegionGraph(const LandmarkRegions& regions) {
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(regions.size()); ++k) {
      sizes.push_back(static_cast<idx_t>(regions.members(k).size()));
      const auto others = regions.touching(k), edges = regions.crossings(k);
      neighbours.insert(neighbours.end(), others.begin(), others.end());
      crossings.insert(crossings.end(), edges.begin(), edges.end());
      starts.push_back(static_cast<idx_t>(neighbours.size()));
    }
  }
  std::vector<idx_t> starts{0}, neighbours, crossings, sizes;
};

// The part of each landmark.
std::vector<idx_t> partition(RegionGraph& graph, idx_t parts) {
  auto size = static_cast<idx_t>(graph.sizes.size());
  std::vector<idx_t> part(graph.sizes.size(), 0);
  if (parts <= 1) return part;
  idx_t constraints = 1, cut = 0, options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(graph.neighbours.size())));
  const int status =
      METIS_PartGraphKway(&size, &constraints, graph.starts.data(), graph.neighbours.data(), graph.sizes.data(),
                          nullptr, graph.crossings.data(), &parts, nullptr, nullptr, options, &cut, part.data());
  if (status == METIS_ERROR_MEMORY) throw Error(ErrorKind::resource, "METIS has no memory to cut the landmarks");
  if (status != METIS_OK) throw Error(ErrorKind::internal, "METIS failed to cut the landmarks into patches");
  return part;
}

// Orders landmarks by halving them again and again.
class Halving {
 public:
  Halving(const RegionGraph& graph, std::size_t group_size)
      : graph_(graph), group_size_(group_size), member_(graph.sizes.size(), 0) {}

  void order(std::span<idx_t> landmarks) {
    if (landmarks.size() <= group_size_) return;
    const idx_t far = breadth_first(landmarks, landmarks.front()).back();  // an end of the patch
    std::ranges::copy(breadth_first(landmarks, far), landmarks.begin());
    const std::size_t groups = (landmarks.size() + group_size_ - 1) / group_size_;
    const std::size_t half = groups / 2 * group_size_;
    order(landmarks.first(half));
    order(landmarks.subspan(half));
  }

 private:
  void mark(idx_t k) { member_[static_cast<std::size_t>(k)] = 1; }

  // All of `landmarks`, by breadth from `first` within them, then from any other that cannot be reached.
  const std::vector<idx_t>& breadth_first(std::span<const idx_t> landmarks, idx_t first) {
    for (const idx_t k : landmarks) mark(k);
    queue_.clear();
    const auto visit = [&](idx_t k) {
      if (member_[static_cast<std::size_t>(k)] == 0) return;
      member_[static_cast<std::size_t>(k)] = 0;
      queue_.push_back(k);
    };
    std::size_t head = 0;
    const auto spread = [&] {
      for (; head < queue_.size(); ++head) {
        const auto k = static_cast<std::size_t>(queue_[head]);
        for (idx_t arc = graph_.starts[k]; arc < graph_.starts[k + 1]; ++arc) {
          visit(graph_.neighbours[static_cast<std::size_t>(arc)]);
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
  std::vector<char> member_;  // 1: of the part at hand, and not yet visited
  std::vector<idx_t> queue_;
};

}  // namespace

std::vector<std::vector<Index>> cut_into_patches(const LandmarkRegions& regions, Index patch_size, Index group_size) {
  RegionGraph graph(regions);
  const Index parts = (regions.size() + patch_size - 1) / patch_size;
  const std::vector<idx_t> part = partition(graph, static_cast<idx_t>(parts));
  std::vector<std::vector<idx_t>> patches(static_cast<std::size_t>(parts));
  for (std::size_t k = 0; k < part.size(); ++k) {
    patches[static_cast<std::size_t>(part[k])].push_back(static_cast<idx_t>(k));
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

}  // namespace cairn
