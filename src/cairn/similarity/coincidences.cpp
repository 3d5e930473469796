#include "cairn/similarity/coincidences.hpp"

#include <algorithm>

namespace cairn {

std::vector<std::pair<Index, Index>> coincidences(const ObjectBlock& rows, const ObjectBlock& columns) {
  std::vector<std::pair<Index, Index>> found;
  if (rows.ids.empty() || rows.set != columns.set) return found;
  std::vector<std::pair<Index, Index>> sorted;  // (id, position)
  sorted.reserve(rows.ids.size());
  for (std::size_t a = 0; a < rows.ids.size(); ++a) sorted.emplace_back(rows.ids[a], static_cast<Index>(a));
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  const Index lowest = sorted.front().first;
  const Index highest = sorted.back().first;
  for (std::size_t b = 0; b < columns.ids.size(); ++b) {
    const Index id = columns.ids[b];
    if (id < lowest || id > highest) continue;
    auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(id, Index{0}));
    for (; at != sorted.end() && at->first == id; ++at) found.emplace_back(at->second, static_cast<Index>(b));
  }
  return found;
}

}  // namespace cairn
