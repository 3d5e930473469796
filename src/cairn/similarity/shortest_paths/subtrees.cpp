#include "cairn/similarity/shortest_paths/subtrees.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

SubtreeDeal deal_subtrees(std::span<const std::int32_t> parent, Index workers) {
  SubtreeDeal deal;
  const auto n = static_cast<std::int32_t>(parent.size());
  const Index largest = workers > 1 ? n / (16 * workers) : 0;
  std::vector<std::int32_t> size(parent.size(), 1);
  for (std::int32_t p = n; p-- > 0;) {
    if (parent[p] >= 0) size[parent[p]] += size[p];
  }
  for (std::int32_t p = 0; p < n;) {
    if (size[p] > largest) {
      deal.above.push_back(p++);
      continue;
    }
    deal.subtrees.push_back({p, p + size[p]});
    p += size[p];
  }
  deal.worker.resize(deal.subtrees.size());
  std::vector<std::size_t> order(deal.subtrees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t k) { return deal.subtrees[k].size(); });
  std::vector<Index> load(workers, 0);
  for (const std::size_t k : order) {
    deal.worker[k] = std::ranges::min_element(load) - load.begin();
    load[deal.worker[k]] += deal.subtrees[k].size();
  }
  return deal;
}

}  // namespace cairn
