#include "cairn/similarity/shortest_paths/path_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/similarity/shortest_paths/contraction_hierarchy.hpp"
#include "cairn/similarity/shortest_paths/graph_search.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_path_length.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"
#include "cairn/similarity/shortest_paths/symmetrized_path_length.hpp"

namespace cairn {

void PathLength::report_no_path(Index source, Index target) const {
  const std::string largest = data_keys_("largest-component");
  if (directed()) {
    if (arcs_ == Arcs::backward) std::swap(source, target);
    throw Error(ErrorKind::numeric,
                fmt::format("there is no path from the vertex {} to the vertex {}: the graph is not "
                            "strongly connected ({} = true keeps its largest strong component)",
                            source, target, largest));
  }
  throw Error(ErrorKind::numeric, fmt::format("there is no path between the vertices {} and {}: the graph is not "
                                              "connected ({} = true keeps its largest part)",
                                              source, target, largest));
}

std::optional<StoredHierarchy> PathLength::stored_hierarchy(int /*part*/, int /*parts*/) const { return std::nullopt; }

std::vector<Index> PathLength::order_of(std::span<const Index> sources) const {
  std::vector<Index> order(sources.size());
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

LengthsFound PathLength::write_rows(std::span<const Index> sources, const TargetSet& targets, double scale,
                                    const LengthRows& out) const {
  count(static_cast<Index>(sources.size() * targets.targets.size()));
  return compute_rows(sources, targets, scale, out);
}

void PathLength::pair_lengths(std::span<const Index> first, std::span<const Index> second,
                              std::span<double> out) const {
  count(std::ssize(first));
  compute_pair_lengths(first, second, out);
}

void PathLength::compute_pair_lengths(std::span<const Index> first, std::span<const Index> second,
                                      std::span<double> out) const {
  pairs_by_source(first, second, out,
                  [this](std::span<const Index> source, const TargetSet& targets, MatrixView<double> row) {
                    static_cast<void>(compute_rows(source, targets, 1.0, row));
                  });
}

void PathLength::compute_pairs(std::span<const Index> first, std::span<const Index> second,
                               std::span<double> out) const {
  compute_pair_lengths(first, second, out);
  const auto without = std::ranges::find(out, no_path<double>);
  if (without == out.end()) return;
  const auto k = static_cast<std::size_t>(without - out.begin());
  report_no_path(first[k], second[k]);
}

// Arcs that a directed graph lacks are infinite.
void require_usable_lengths(const SharedGraph& graph) {
  const double most = std::numeric_limits<double>::max() / static_cast<double>(std::max<Index>(graph.vertices(), 1));
  for (Index v = 0; v < graph.vertices() && !graph.lengths.empty(); ++v) {
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      if (graph.directed && graph.lengths[a] == std::numeric_limits<double>::infinity()) continue;
      if (!(graph.lengths[a] >= 0.0) || !std::isfinite(graph.lengths[a])) {
        throw Error(ErrorKind::input, fmt::format("the edge between the vertices {} and {} has the length {}; path "
                                                  "lengths need finite ones that are not below 0",
                                                  v, graph.neighbors[a], graph.lengths[a]));
      }
      if (static_cast<double>(graph.lengths[a]) > most) {
        throw Error(ErrorKind::input, fmt::format("the edge between the vertices {} and {} has the length {}: paths of "
                                                  "such lengths are too large for numbers; take another unit",
                                                  v, graph.neighbors[a], graph.lengths[a]));
      }
    }
  }
}

// Bounds below which a hierarchy is sure to pay. Measured: the roads of USA-NE leave a core of mean degree 3.3,
// have 3.0 arcs per edge in the completion and 26 triangles a vertex; for a grid of 10^6 vertices with a fifth of its
// edges removed it is 3.5, 8.6 and 1,180. For both, sweeps are more than 100 times as fast as searches. A grid of 10^7
// vertices takes as long to be contracted, by one rank, as 400 searches.
HierarchyLimits road_limits(const SharedGraph& graph) {
  constexpr double core_degree = 6.0;
  constexpr Index arcs_per_edge = 12, triangles_per_vertex = 2000;
  return {core_degree, arcs_per_edge * std::max<Index>(graph.arcs() / 2, 1024),
          triangles_per_vertex * std::max<Index>(graph.vertices(), 1024)};
}

namespace {

std::unique_ptr<PathLength> make_search(const SharedGraph& graph, const std::string& method, const KeyNames& keys) {
  require_usable_lengths(graph);
  const bool weighted = !graph.lengths.empty();
  if (method == "breadth-first" && graph.directed) {
    throw Error(ErrorKind::usage, fmt::format("{} = breadth-first counts edges, both ways, and this graph is directed: "
                                              "take dijkstra or hierarchy",
                                              keys("search")));
  }
  if (method == "breadth-first" && weighted) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} = breadth-first counts edges, and this graph has lengths: take dijkstra or hierarchy, or leave "
                    "the lengths out ({} = false)",
                    keys("search"), graph.keys("weighted")));
  }
  if (method == "breadth-first") return make_breadth_first(graph);
  if (method == "dijkstra") return make_dijkstra(graph);
  throw Error(ErrorKind::internal, "no such search");
}

void require_method(const std::string& method) {
  for (const char* known : {"hierarchy", "breadth-first", "dijkstra", "auto"}) {
    if (method == known) return;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no search '{}': choose hierarchy, "
                                            "breadth-first, dijkstra or auto",
                                            method));
}

struct Contracted {
  ContractionHierarchy hierarchy;
  std::string refused;  // on every rank
  std::string choice;
};

// @throws Error(resource) that advises another search method
ContractionHierarchy contract_or_advise(const SharedGraph& graph, const HierarchyLimits& limits, std::string& refused,
                                        const KeyNames& keys) {
  try {
    return contract(graph, limits, refused);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resource) throw;
    throw Error(error.kind(), fmt::format("{}: take {} = breadth-first or dijkstra", error.what(), keys("search")));
  }
}

// Rank 0 contracts; the others get the outcome.
Contracted contract_on_root(const Communicator& communicator, const SharedGraph& graph, bool chosen,
                            const KeyNames& keys) {
  Contracted result;
  // The others wait for rank 0, whose own heartbeats show that it works.
  const Watchdog::Patience patience(communicator.is_root() ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    require_usable_lengths(graph);
    if (!communicator.is_root()) return;
    HierarchyLimits limits;
    if (chosen) limits = road_limits(graph);
    result.hierarchy = contract_or_advise(graph, limits, result.refused, keys);
    const ContractionHierarchy& made = result.hierarchy;
    result.choice = fmt::format("{} arcs upward{} ({} in the completion) for {} edges, height {}", made.up.heads.size(),
                                made.directed ? fmt::format(" and {} downward", made.down.heads.size()) : "",
                                made.completion_arcs, graph.arcs() / 2, made.height());
    if (!result.refused.empty() && !chosen) {
      throw Error(ErrorKind::resource,
                  fmt::format("{}: take {} = breadth-first or dijkstra", result.refused, keys("search")));
    }
  });
  communicator.broadcast(result.refused, 0);
  communicator.broadcast(result.choice, 0);
  return result;
}

}  // namespace

std::unique_ptr<PathLength> make_path_length(const Communicator& communicator, const SharedGraph& graph,
                                             const std::string& method, const KeyNames& keys) {
  require_method(method);
  const bool chosen = method == "auto";
  std::string search = method, choice = "as asked for";
  if (chosen || method == "hierarchy") {
    Contracted contracted = contract_on_root(communicator, graph, chosen, keys);
    if (contracted.refused.empty()) {
      auto result = make_hierarchy_path_length(communicator, std::move(contracted.hierarchy));
      result->set_data_keys(graph.keys);
      result->set_choice((chosen ? "separators are small: " : "as asked for: ") + contracted.choice);
      return result;
    }
    search = graph.lengths.empty() ? "breadth-first" : "dijkstra";
    choice = "a hierarchy would not pay: " + contracted.refused;
  }
  auto result = collectively(communicator, [&] { return make_search(graph, search, keys); });
  result->set_data_keys(graph.keys);
  result->set_choice(choice);
  return result;
}

namespace {

// For nearest vertices, a search ends where another vertex is nearer. It is used whatever is best for whole rows.
std::unique_ptr<SourceSimilarity> path_length_of(const SourceInput& input) {
  const bool weighted = !input.graph->lengths.empty(), symmetrize = input.values.flag("symmetrize");
  if (input.graph->directed != symmetrize) {
    input.values.refuse("symmetrize", symmetrize ? "has no effect on an undirected graph, whose path lengths are "
                                                   "symmetric"
                                                 : "is needed: path lengths of a directed graph are not symmetric, and "
                                                   "K has to be; with true it is the mean of both directions");
  }
  const std::string search = input.nearest ? (weighted ? "dijkstra" : "breadth-first") : input.values.text("search");
  auto lengths = make_path_length(input.communicator, *input.graph, search, input.values.keys());
  if (symmetrize) return make_symmetrized(input.communicator, std::move(lengths));
  return lengths;
}

// Arcs per vertex of the completion from which the hierarchy of a road network is made.
constexpr double completion_arcs = 6.0;
// Labels of a road network have label_growth sqrt(n) lengths a vertex: 105 for 321,270 vertices, 250 for 1.5 million.
constexpr double label_growth = 0.2, label_head_bytes = 32.0;

// Lengths in edges are assumed below 65,536; sums of non-integer lengths fill the precision of the run. Squares take
// twice the memory. A directed graph has arcs, labels and rows of both directions.
SourceCost cost_of(const SourceCostInput& input) {
  SourceCost cost;
  cost.value_bytes = input.weighted ? input.value_bytes : input.squared ? 4 : 2;
  cost.batch = cost.value_bytes <= 2   ? sweep_lanes<std::uint16_t>
               : cost.value_bytes == 4 ? sweep_lanes<std::uint32_t>
                                       : sweep_lanes<double>;
  const Index n = input.objects;
  const Index ways = input.directed ? 2 : 1;
  const Index arcs = ways * planned_hierarchy_arcs(n);
  const Index arc = std::max<Index>(4, 2 * cost.value_bytes) + 4;
  cost.shared = {{"hierarchy of path lengths, once per node", 24 * n + arcs * arc}};
  cost.making = {{"completion of the graph, while the hierarchy is made",
                  static_cast<Index>((input.directed ? 40.0 : 30.0) * completion_arcs * static_cast<double>(n))}};
  cost.between = {{"vertices over which landmarks are reached", 2 * (16 * n / 2 + 8 * n)}};
  cost.pairs = {
      {"labels of path lengths, once per node",
       static_cast<Index>(static_cast<double>(n) * (label_head_bytes + static_cast<double>(ways * cost.value_bytes) *
                                                                           label_growth * std::sqrt(n)))}};
  cost.search_bytes = 4 * n;
  cost.search_row_bytes = ways * n * cost.value_bytes;
  return cost;
}

}  // namespace

bool may_use_hierarchy(const Values& values) {
  const std::string& search = values.text("search");
  return search == "auto" || search == "hierarchy";
}

const SimilarityDescriptor& path_length_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "path-length",
      .summary = "The length of the shortest path between two vertices of a graph.",
      .parameters = {{.name = "search",
                      .value = "NAME",
                      .type = ValueType::choice,
                      .fallback = "auto",
                      .help =
                          "How paths are searched; all are exact. By default a hierarchy on graphs like roads, else "
                          "breadth-first if all edges have length 1, dijkstra if not.",
                      .choices = {"auto", "hierarchy", "breadth-first", "dijkstra"}},
                     {.name = "symmetrize",
                      .value = "BOOL",
                      .type = ValueType::flag,
                      .fallback = "false",
                      .help = "Directed graphs: the mean of the path lengths in both directions."}},
      .output = {{.name = "hierarchy",
                  .value = "BOOL",
                  .type = ValueType::flag,
                  .fallback = "true",
                  .help = "Also write the hierarchy if paths are searched by one: query and evaluate then have exact "
                          "lengths without the graph; without it query has those of K~. It takes 20 to 30 bytes a "
                          "vertex of roads."}},
      .objects = {objects::graph_vertices},
      .default_for = {objects::graph_vertices},
      .traits = {.distance = true, .single_source = true, .whole_rows = true},
      .make_source = path_length_of,
      .source_cost = cost_of};
  return similarity;
}

}  // namespace cairn
