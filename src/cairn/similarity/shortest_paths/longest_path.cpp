#include "cairn/similarity/shortest_paths/longest_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/data/graph/strong_components.hpp"

namespace cairn {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

// Length between each place and the topmost place of its group, by arcs in the group. @param same  of two places
template <class Same>
std::vector<double> from_tops(const AncestorView& arcs, const std::vector<bool>& is_top, Same same) {
  std::vector<double> length(is_top.size(), 0.0);
  for (std::size_t p = 0; p < length.size(); ++p) {
    if (is_top[p]) continue;
    double best = unreached;
    for (Index a = arcs.starts[p]; a < arcs.starts[p + 1]; ++a) {
      if (same(p, arcs.heads[a])) best = std::min(best, length[arcs.heads[a]] + arcs.lengths[a]);
    }
    length[p] = best;
  }
  return length;
}

}  // namespace

StrongParts strong_parts(std::span<const Index> starts, std::span<const std::int32_t> heads,
                         std::span<const double> lengths, std::span<const std::int32_t> place_of) {
  StrongParts parts;
  std::vector<std::int32_t> component = strong_components(starts, heads, lengths);
  for (std::size_t v = 0; v < component.size(); ++v) {
    for (Index a = starts[v]; a < starts[v + 1]; ++a) {
      const std::int32_t from = component[v], to = component[heads[a]];
      if (from != to && std::isfinite(lengths[a])) parts.crossings.push_back({from, to, lengths[a]});
    }
  }
  std::ranges::sort(parts.crossings, {}, &StrongParts::Crossing::from);
  if (place_of.empty()) {
    parts.component = std::move(component);
    return parts;
  }
  parts.component.resize(component.size());
  for (std::size_t v = 0; v < component.size(); ++v) parts.component[place_of[v]] = component[v];
  return parts;
}

double longest_path_bound(std::span<const std::int32_t> parent, const AncestorView& arcs) {
  std::vector<bool> is_root;
  for (const std::int32_t above : parent) is_root.push_back(above < 0);
  const std::vector<double> lengths =
      from_tops(arcs, is_root, [](std::size_t /*place*/, std::int32_t /*head*/) { return true; });
  return lengths.empty() ? 0.0 : 2.0 * *std::ranges::max_element(lengths);
}

double longest_path_bound(const StrongParts& parts, const AncestorView& up, const AncestorView& down) {
  const std::vector<std::int32_t>& component = parts.component;
  if (component.empty()) return 0.0;
  const std::size_t n = component.size();
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(component)) + 1;
  std::vector<bool> is_top(n), seen(count);
  for (std::size_t p = 0; p < n; ++p) {
    is_top[p] = !seen[component[p]];
    seen[component[p]] = true;
  }
  const auto same = [&](std::size_t p, std::int32_t head) { return component[p] == component[head]; };
  std::vector<double> rise(count, 0.0), fall(count, 0.0), longest(count, 0.0);  // the last: from a component on
  const auto find_largest = [&](const AncestorView& arcs, std::vector<double>& largest) {
    const std::vector<double> lengths = from_tops(arcs, is_top, same);
    for (std::size_t p = 0; p < n; ++p) largest[component[p]] = std::max(largest[component[p]], lengths[p]);
  };
  find_largest(up, rise);
  find_largest(down, fall);
  auto crossing = parts.crossings.begin();
  for (std::size_t c = 0; c < count; ++c) {
    double beyond = 0.0;
    for (; crossing != parts.crossings.end() && crossing->from == static_cast<std::int32_t>(c); ++crossing) {
      beyond = std::max(beyond, crossing->length + longest[crossing->to]);
    }
    longest[c] = rise[c] + fall[c] + beyond;
  }
  return *std::ranges::max_element(longest);
}

}  // namespace cairn
