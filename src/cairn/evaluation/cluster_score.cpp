#include "cairn/evaluation/cluster_score.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cairn/evaluation/matching.hpp"

namespace cairn {

namespace {

// One side of the comparison. Clusters are numbered from 0 in the order of their first object.
struct Side {
  std::vector<Index> cluster;  // cluster of each object; negative: none
  std::vector<Index> sizes;

  explicit Side(std::span<const Index> names) {
    std::unordered_map<Index, Index> numbers;
    for (const Index name : names) {
      if (name < 0) {
        cluster.push_back(-1);
        continue;
      }
      const auto [place, is_new] = numbers.emplace(name, static_cast<Index>(sizes.size()));
      if (is_new) sizes.push_back(0);
      ++sizes[place->second];
      cluster.push_back(place->second);
    }
  }
  [[nodiscard]] Index objects() const {
    Index sum = 0;
    for (const Index size : sizes) sum += size;
    return sum;
  }
};

struct Overlap {
  Index gold, found, common;
};

std::vector<Overlap> overlaps(const Side& gold, const Side& found) {
  std::map<std::pair<Index, Index>, Index> counts;
  for (std::size_t i = 0; i < gold.cluster.size(); ++i) {
    if (gold.cluster[i] >= 0 && found.cluster[i] >= 0) ++counts[{gold.cluster[i], found.cluster[i]}];
  }
  std::vector<Overlap> list;
  for (const auto& [pair, common] : counts) list.push_back({pair.first, pair.second, common});
  return list;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

// Share of the links of `side` that the other side also has: its common objects minus the parts into which they fall.
double muc(const Side& side, const std::vector<Overlap>& common) {
  Index kept = 0;
  for (const Overlap& one : common) kept += one.common - 1;
  return ratio(static_cast<double>(kept), static_cast<double>(side.objects() - static_cast<Index>(side.sizes.size())));
}

double b_cubed(const Side& side, const std::vector<Overlap>& common, Index Overlap::*which) {
  double sum = 0.0;
  for (const Overlap& one : common) {
    const auto objects = static_cast<double>(one.common);
    sum += objects * objects / static_cast<double>(side.sizes[one.*which]);
  }
  return ratio(sum, static_cast<double>(side.objects()));
}

double best_alignment(const Side& gold, const Side& found, const std::vector<Overlap>& common) {
  std::vector<WeightedEdge> edges;
  for (const Overlap& one : common) {
    const Index both = gold.sizes[one.gold] + found.sizes[one.found];
    edges.push_back({one.gold, one.found, 2.0 * static_cast<double>(one.common) / static_cast<double>(both)});
  }
  double sum = 0.0;
  for (const std::size_t e :
       heaviest_matching(static_cast<Index>(gold.sizes.size()), static_cast<Index>(found.sizes.size()), edges)) {
    sum += edges[e].weight;
  }
  return sum;
}

}  // namespace

ClusterScores score_clusters(std::span<const Index> gold_names, std::span<const Index> found_names) {
  const Side gold(gold_names), found(found_names);
  const std::vector<Overlap> common = overlaps(gold, found);
  const double aligned = best_alignment(gold, found, common);
  return {{muc(gold, common), muc(found, common)},
          {b_cubed(gold, common, &Overlap::gold), b_cubed(found, common, &Overlap::found)},
          {ratio(aligned, static_cast<double>(gold.sizes.size())),
           ratio(aligned, static_cast<double>(found.sizes.size()))}};
}

}  // namespace cairn
