#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "cairn/similarity/shortest_paths/longest_path.hpp"

namespace cairn {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

AncestorArcs kept(const CompletionView& completion, std::span<const double> lengths,
                  std::span<const std::uint8_t> needed, std::uint8_t bit) {
  AncestorArcs out;
  const auto count = std::ranges::count_if(needed, [bit](std::uint8_t bits) { return (bits & bit) != 0; });
  out.starts.reserve(completion.starts.size());
  out.heads.reserve(count);
  out.lengths.reserve(count);
  out.starts.push_back(0);
  for (std::size_t p = 0; p + 1 < completion.starts.size(); ++p) {
    for (auto a = static_cast<std::size_t>(completion.starts[p]);
         a < static_cast<std::size_t>(completion.starts[p + 1]); ++a) {
      if ((needed[a] & bit) == 0) continue;
      out.heads.push_back(completion.heads[a]);
      out.lengths.push_back(lengths[a]);
    }
    out.starts.push_back(static_cast<Index>(out.heads.size()));
  }
  return out;
}

}  // namespace

Index ContractionHierarchy::height() const {
  const auto& depth = tree.depth;
  return depth.empty() ? 0 : *std::ranges::max_element(depth) + 1;
}

void set_lengths_of_edges(const SharedGraph& graph, const ChordalCompletion& completion, const ArcLengths& lengths) {
  const EliminationTree& tree = completion.tree;
  for (Index p = 0; p < tree.size(); ++p) {
    const std::int32_t v = tree.vertex_at[p];
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      const std::int32_t other = tree.place_of[graph.neighbors[a]];
      const double length = graph.lengths.empty() ? 1.0 : graph.lengths[a];
      if (other < p) lengths.up[arc_between(completion.starts, completion.heads, p, other)] = length;
      if (other < p || !graph.directed) continue;
      lengths.down[arc_between(completion.starts, completion.heads, other, static_cast<std::int32_t>(p))] = length;
    }
  }
}

ContractionHierarchy contract(const SharedGraph& graph, const HierarchyLimits& limits, std::string& refused) {
  ContractionHierarchy result;
  ChordalCompletion completion = complete(graph, limits, refused);
  if (!refused.empty()) {
    result.core = completion.core;
    return result;
  }
  const std::span<const double> all = graph.lengths.values();
  const bool whole = std::ranges::all_of(all, [](double length) { return length == std::floor(length); });
  const bool zeros = std::ranges::any_of(all, [](double length) { return length == 0.0; });
  std::vector<double> up(completion.heads.size(), unreached), down(graph.directed ? up.size() : 0, unreached);
  std::vector<std::uint8_t> needed(completion.heads.size());
  const ArcLengths lengths{up, down};
  set_lengths_of_edges(graph, completion, lengths);
  const CompletionView view = CompletionView::of(completion);
  customize(view, lengths, needed, whole && !zeros);
  result.directed = graph.directed;
  result.whole = whole;
  result.core = completion.core;
  result.completion_arcs = completion.arcs();
  result.up = kept(view, up, needed, needed_up);
  if (graph.directed) result.down = kept(view, down, needed, needed_down);
  const AncestorView upward{result.up.starts, result.up.heads, result.up.lengths};
  result.longest = graph.directed
                       ? longest_path_bound(strong_parts(graph.starts.values(), graph.neighbors.values(),
                                                         graph.lengths.values(), completion.tree.place_of),
                                            upward, {result.down.starts, result.down.heads, result.down.lengths})
                       : longest_path_bound(completion.tree.parent, upward);
  result.tree = std::move(completion.tree);
  return result;
}

}  // namespace cairn
