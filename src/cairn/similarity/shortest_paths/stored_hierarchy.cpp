#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cairn/similarity/shortest_paths/longest_path.hpp"

namespace cairn {

namespace {

// Number at a place of a list of any type, as an Index or a double.
template <class Number, class List>
Number at(const List& list, std::size_t place) {
  return std::visit([place](const auto& values) { return static_cast<Number>(values[place]); }, list);
}

template <class Number>
Number at(const std::vector<std::int32_t>& list, std::size_t place) {
  return static_cast<Number>(list[place]);
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
template <class Stored>
std::string take_tree(const Stored& stored, EliminationTree& tree) {
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
    const Index depth = at<Index>(stored.depths, p);
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
  AncestorArcs& arcs = out.up;
  arcs.starts.push_back(0);
  std::vector<std::int32_t> open;
  for (std::size_t p = 0; p < n; ++p) {
    open.resize(out.tree.depth[p]);
    const auto degree = at<std::size_t>(stored.degrees, p);
    if (degree == 0 && out.tree.depth[p] > 0) return fmt::format("has no arc upward from place {}", p);
    Index above = out.tree.depth[p];
    for (std::size_t a = arcs.heads.size(), last = a + degree; a < last; ++a) {
      const auto head = at<Index>(stored.heads, a);
      const auto length = at<double>(stored.lengths, a);
      if (head < 0 || head >= above) {
        return fmt::format("has an arc from place {} to depth {}, behind one to depth {}", p, head, above);
      }
      if (!(length >= 0.0) || !std::isfinite(length)) return fmt::format("has an arc of length {}", length);
      above = head;
      arcs.heads.push_back(open[head]);
      arcs.lengths.push_back(length);
      out.whole = out.whole && length == std::floor(length);
    }
    arcs.starts.push_back(static_cast<Index>(arcs.heads.size()));
    open.push_back(static_cast<std::int32_t>(p));
  }
  return "";
}

// Reads the arcs of a completion: those of a place lead to its parent and to some of the parent's heads.
// @return the defect, or an empty text
std::string take_heads(const StoredCompletion& stored, ChordalCompletion& out) {
  const std::size_t n = stored.vertices.size();
  if (stored.depths.size() != n || stored.degrees.size() != n) {
    return fmt::format("has {} vertices, {} depths and {} degrees", n, stored.depths.size(), stored.degrees.size());
  }
  if (std::string defect = take_tree(stored, out.tree); !defect.empty()) return defect;
  out.starts.push_back(0);
  std::vector<std::int32_t> open;
  for (std::size_t p = 0; p < n; ++p) {
    open.resize(out.tree.depth[p]);
    const std::int32_t degree = stored.degrees[p];
    const auto first = static_cast<std::size_t>(out.starts[p]);
    if (degree < 0 || static_cast<std::size_t>(degree) > stored.heads.size() - first || degree > out.tree.depth[p] ||
        (degree == 0 && out.tree.depth[p] > 0)) {
      return fmt::format("gives the place {} {} arcs, and it has {} ancestors", p, degree, out.tree.depth[p]);
    }
    const std::int32_t parent = out.tree.parent[p];
    Index above = parent < 0 ? 0 : out.starts[parent];  // arcs of the parent
    for (std::size_t a = first; a < first + static_cast<std::size_t>(degree); ++a) {
      const std::int32_t depth = stored.heads[a];
      const bool is_ancestor = depth >= 0 && depth < out.tree.depth[p];
      const std::int32_t head = is_ancestor ? open[depth] : -1;
      const Index end = parent < 0 ? 0 : out.starts[parent + 1];
      while (a > first && above < end && out.heads[above] != head) ++above;
      if (!is_ancestor || (a == first ? head != parent : above == end || depth >= stored.heads[a - 1])) {
        return fmt::format("has an arc from place {} to depth {}, which is none of a chordal completion", p, depth);
      }
      out.heads.push_back(head);
    }
    out.starts.push_back(out.arcs());
    open.push_back(static_cast<std::int32_t>(p));
  }
  return out.heads.size() == stored.heads.size() ? "" : "has more arcs than its vertices";
}

std::string take_edges(const StoredCompletion& stored, bool directed, std::vector<double>& up,
                       std::vector<double>& down) {
  const std::size_t count = stored.edges.size();
  if (stored.lengths.size() != count || stored.back.size() != (directed ? count : 0)) {
    return fmt::format("has {} edges, and {} and {} lengths", count, stored.lengths.size(), stored.back.size());
  }
  Index last = -1;
  const auto is_length = [&](double length) { return length >= 0.0 && (directed || std::isfinite(length)); };
  for (std::size_t e = 0; e < count; ++e) {
    const Index arc = stored.edges[e];
    if (arc <= last || arc >= std::ssize(up)) return fmt::format("has the edge {} behind {}", arc, last);
    last = arc;
    for (const double length : {stored.lengths[e], directed ? stored.back[e] : 0.0}) {
      if (!is_length(length)) return fmt::format("has an edge of length {}", length);
    }
    up[arc] = stored.lengths[e];
    if (!directed) continue;
    down[arc] = stored.back[e];
    if (std::isinf(up[arc]) && std::isinf(down[arc])) return fmt::format("has an edge {} without a length", e);
  }
  return "";
}

}  // namespace

ChordalCompletion unpack(const StoredCompletion& stored, bool directed, std::vector<double>& up,
                         std::vector<double>& down, std::string& refused) {
  ChordalCompletion result;
  refused = take_heads(stored, result);
  if (!refused.empty()) return {};
  up.assign(result.heads.size(), std::numeric_limits<double>::infinity());
  down.assign(directed ? up.size() : 0, std::numeric_limits<double>::infinity());
  refused = take_edges(stored, directed, up, down);
  return result;
}

ContractionHierarchy unpack(const StoredHierarchy& stored, std::string& refused) {
  ContractionHierarchy result;
  refused = wrong_sizes(stored);
  if (refused.empty()) refused = take_tree(stored, result.tree);
  if (refused.empty()) refused = take_arcs(stored, result);
  if (!refused.empty()) return {};
  result.longest = longest_path_bound(result.tree.parent, {result.up.starts, result.up.heads, result.up.lengths});
  // Lengths are added in as few bits as the longest path requires: no arc may be longer.
  const std::vector<double>& lengths = result.up.lengths;
  const double most = lengths.empty() ? 0.0 : *std::ranges::max_element(lengths);
  if (result.whole && most > result.longest) {
    refused = fmt::format("has an arc of length {}, and no path is longer than {}", most, result.longest);
  }
  return result;
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
