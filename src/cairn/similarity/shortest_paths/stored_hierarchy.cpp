#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cairn {

namespace {

// Number at a place of a list of any type, as an Index or a double.
template <class Number, class List>
Number at(const List& list, std::size_t place) {
  return std::visit([place](const auto& values) { return static_cast<Number>(values[place]); }, list);
}

template <class List>
std::size_t size_of(const List& list) {
  return std::visit([](const auto& values) { return values.size(); }, list);
}

std::string wrong_sizes(const StoredHierarchy& stored) {
  const std::size_t n = stored.vertices.size(), arcs = size_of(stored.heads);
  if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) return "has more than 2^31 vertices";
  if (size_of(stored.depths) != n || size_of(stored.degrees) != n || size_of(stored.lengths) != arcs) {
    return fmt::format("has {} vertices, {} depths, {} degrees, {} heads and {} lengths", n, size_of(stored.depths),
                       size_of(stored.degrees), arcs, size_of(stored.lengths));
  }
  std::size_t left = arcs;
  for (std::size_t p = 0; p < n; ++p) {
    const auto degree = at<Index>(stored.degrees, p);
    if (degree < 0 || static_cast<std::size_t>(degree) > left) {
      return fmt::format("gives the place {} {} arcs, and has {} in all", p, degree, arcs);
    }
    left -= static_cast<std::size_t>(degree);
  }
  return left == 0 ? "" : fmt::format("has {} arcs more than its vertices", left);
}

// Builds the tree from vertices and their depths in preorder. @return the defect, or an empty text
std::string take_tree(const StoredHierarchy& stored, EliminationTree& tree) {
  const std::size_t n = stored.vertices.size();
  tree.vertex_at = stored.vertices;
  tree.place_of.assign(n, -1);
  std::vector<std::int32_t> open;  // by depth: the last place so far
  for (std::size_t p = 0; p < n; ++p) {
    const std::int32_t vertex = stored.vertices[p];
    if (vertex < 0 || static_cast<std::size_t>(vertex) >= n || tree.place_of[vertex] >= 0) {
      return fmt::format("has the vertex {} at place {}: it is out of range, or a duplicate", vertex, p);
    }
    tree.place_of[vertex] = static_cast<std::int32_t>(p);
    const auto depth = at<Index>(stored.depths, p);
    if (depth < 0 || depth > std::ssize(open)) {
      return fmt::format("has the depth {} at place {}, behind one of {}", depth, p, std::ssize(open) - 1);
    }
    open.resize(depth);
    tree.parent.push_back(depth == 0 ? -1 : open.back());
    tree.depth.push_back(static_cast<std::int32_t>(depth));
    open.push_back(static_cast<std::int32_t>(p));
  }
  return "";
}

// Reads the arcs of all places. @return the defect, or an empty text
std::string take_arcs(const StoredHierarchy& stored, ContractionHierarchy& out) {
  const auto n = static_cast<std::size_t>(out.tree.size());
  out.starts.push_back(0);
  std::vector<std::int32_t> open;
  for (std::size_t p = 0; p < n; ++p) {
    open.resize(out.tree.depth[p]);
    const auto degree = at<std::size_t>(stored.degrees, p);
    if (degree == 0 && out.tree.depth[p] > 0) return fmt::format("has no arc upward from place {}", p);
    Index above = out.tree.depth[p];
    for (std::size_t a = out.heads.size(), last = a + degree; a < last; ++a) {
      const auto head = at<Index>(stored.heads, a);
      const auto length = at<double>(stored.lengths, a);
      if (head < 0 || head >= above) {
        return fmt::format("has an arc from place {} to depth {}, behind one to depth {}", p, head, above);
      }
      if (!(length >= 0.0) || !std::isfinite(length)) return fmt::format("has an arc of length {}", length);
      above = head;
      out.heads.push_back(open[head]);
      out.lengths.push_back(length);
      out.whole = out.whole && length == std::floor(length);
    }
    out.starts.push_back(static_cast<Index>(out.heads.size()));
    open.push_back(static_cast<std::int32_t>(p));
  }
  return "";
}

}  // namespace

ContractionHierarchy unpack(const StoredHierarchy& stored, std::string& refused) {
  ContractionHierarchy result;
  refused = wrong_sizes(stored);
  if (refused.empty()) refused = take_tree(stored, result.tree);
  if (refused.empty()) refused = take_arcs(stored, result);
  if (!refused.empty()) return {};
  result.longest = longest_path_bound(result);
  // Lengths are added in as few bits as the longest path requires: no arc may be longer.
  const double most = result.lengths.empty() ? 0.0 : *std::ranges::max_element(result.lengths);
  if (result.whole && most > result.longest) {
    refused = fmt::format("has an arc of length {}, and no path is longer than {}", most, result.longest);
  }
  return result;
}

double longest_path_bound(const ContractionHierarchy& hierarchy) {
  std::vector<double> from_root(hierarchy.tree.size(), 0.0);
  double longest = 0.0;
  for (std::size_t p = 0; p < from_root.size(); ++p) {
    if (hierarchy.tree.parent[p] < 0) continue;
    double best = std::numeric_limits<double>::infinity();
    for (auto a = static_cast<std::size_t>(hierarchy.starts[p]); a < static_cast<std::size_t>(hierarchy.starts[p + 1]);
         ++a) {
      best = std::min(best, from_root[hierarchy.heads[a]] + hierarchy.lengths[a]);
    }
    longest = std::max(longest, from_root[p] = best);
  }
  return 2.0 * longest;
}

Index planned_hierarchy_arcs(Index vertices) {
  constexpr double arcs_a_vertex = 2.4;
  return static_cast<Index>(arcs_a_vertex * static_cast<double>(vertices));
}

// Lengths are assumed to be integers of 32 bits, or numbers of edges of 16 bits.
Index planned_hierarchy_bytes(Index vertices, bool weighted) {
  return vertices * (4 + 2 + 2) + planned_hierarchy_arcs(vertices) * (2 + (weighted ? 4 : 2));
}

}  // namespace cairn
