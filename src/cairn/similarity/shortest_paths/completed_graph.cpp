#include "cairn/similarity/shortest_paths/completed_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"
#include "cairn/similarity/shortest_paths/longest_path.hpp"

namespace cairn {

namespace {

// What all lengths have in common.
struct LengthFacts {
  bool whole = true, zeros = false;
  double longest = 0.0;

  void add(std::span<const double> lengths) {
    for (const double length : lengths) {
      if (!std::isfinite(length)) continue;
      whole = whole && length == std::floor(length);
      zeros = zeros || length == 0.0;
      longest = std::max(longest, length);
    }
  }
};

// Strong components by the edges, whose lengths are not customized yet.
StrongParts parts_of(const CompletedGraph& graph) {
  const Index n = graph.size();
  std::vector<Index> starts(n + 1, 0);
  const auto each_edge = [&](auto visit) {
    for (Index p = 0; p < n; ++p) {
      for (Index a = graph.starts[p]; a < graph.starts[p + 1]; ++a) {
        const std::int32_t head = graph.heads[a];
        if (std::isfinite(graph.up[a])) visit(p, head, graph.up[a]);
        if (std::isfinite(graph.down[a])) visit(head, static_cast<std::int32_t>(p), graph.down[a]);
      }
    }
  };
  each_edge([&](Index from, std::int32_t /*to*/, double /*length*/) { ++starts[from + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int32_t> heads(starts[n]);
  std::vector<double> lengths(starts[n]);
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  each_edge([&](Index from, std::int32_t to, double length) {
    const Index at = next[from]++;
    heads[at] = to;
    lengths[at] = length;
  });
  return strong_parts(starts, heads, lengths, {});
}

}  // namespace

CompletedGraph complete(const Communicator& communicator, const SharedGraph& graph, bool any, const KeyNames& keys) {
  const Watchdog::Patience patience(communicator.is_root() ? 0.0 : Watchdog::longest_patience);
  CompletionParts parts;
  collectively(communicator, [&] {
    require_usable_lengths(graph);
    if (!communicator.is_root()) return;
    std::string refused;
    parts.completion = complete(graph, any ? HierarchyLimits{} : road_limits(graph), refused);
    if (!refused.empty()) {
      throw Error(ErrorKind::resource,
                  fmt::format("{}: a hierarchy would not pay{}", refused,
                              any ? "" : fmt::format("; {} = hierarchy makes one nevertheless", keys("search"))));
    }
    parts.directed = graph.directed;
    parts.up.assign(parts.completion.heads.size(), std::numeric_limits<double>::infinity());
    if (graph.directed) parts.down = parts.up;
    set_lengths_of_edges(graph, parts.completion, {parts.up, parts.down});
  });
  return share(communicator, std::move(parts));
}

std::unique_ptr<PathLength> customized(const Communicator& communicator, CompletedGraph& graph, int threads) {
  LengthFacts facts;
  collectively(communicator, [&] {
    facts.add(graph.up.values());
    facts.add(graph.down.values());
    if (facts.longest > std::numeric_limits<double>::max() / static_cast<double>(std::max<Index>(graph.size(), 1))) {
      throw Error(ErrorKind::input, fmt::format("an edge has the length {}: paths of such lengths are too large for "
                                                "numbers; take another unit",
                                                facts.longest));
    }
  });
  StrongParts parts;
  collectively(communicator, [&] {
    if (communicator.is_root() && graph.directed) parts = parts_of(graph);
  });
  NodeArray<std::uint8_t> needed(communicator, graph.arcs());
  customize(communicator, graph.view(), graph.up, graph.down, needed, facts.whole && !facts.zeros, threads);
  CustomizedArcs arcs{graph.vertex_at.share(),
                      graph.place_of.share(),
                      graph.parent.share(),
                      graph.depth.share(),
                      graph.view(),
                      graph.up,
                      graph.down,
                      needed};
  arcs.whole = facts.whole;
  arcs.directed = graph.directed;
  std::array<Index, 2> kept{};
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    const AncestorView up{graph.starts.values(), graph.heads.values(), graph.up.values()};
    arcs.longest = graph.directed ? longest_path_bound(parts, up, {up.starts, up.heads, graph.down.values()})
                                  : longest_path_bound(graph.parent.values(), up);
    if (graph.size() > 0) arcs.height = *std::ranges::max_element(graph.depth.values()) + 1;
    for (const std::uint8_t bits : needed.values()) {
      kept[0] += bits & needed_up;
      kept[1] += (bits & needed_down) / needed_down;
    }
  });
  communicator.broadcast(std::span(&arcs.longest, 1), 0);
  communicator.broadcast(std::span(&arcs.height, 1), 0);
  communicator.broadcast(std::span<Index>(kept), 0);
  auto lengths = make_hierarchy_path_length(communicator, std::move(arcs));
  lengths->set_choice(fmt::format("customized: {} arcs upward{} of {} in the completion", kept[0],
                                  graph.directed ? fmt::format(" and {} downward", kept[1]) : "", graph.arcs()));
  return lengths;
}

}  // namespace cairn
