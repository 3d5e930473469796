#include "similarity/path_length.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "similarity/graph_search.hpp"

namespace cairn {

void PathLength::report_no_path(Index source, Index target) {
  throw Error(ErrorKind::numeric, fmt::format("there is no path between the vertices {} and {}: the graph is not "
                                              "connected (data.largest-component = true keeps its largest part)",
                                              source, target));
}

namespace {

void require_positive_lengths(const SharedGraph& graph) {
  for (Index v = 0; v < graph.vertices() && !graph.lengths.empty(); ++v) {
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      if (!(graph.lengths[a] > 0.0) || !std::isfinite(graph.lengths[a])) {
        throw Error(ErrorKind::input, fmt::format("the edge between the vertices {} and {} has the length {}; path "
                                                  "lengths need positive ones",
                                                  v, graph.neighbours[a], graph.lengths[a]));
      }
    }
  }
}

std::unique_ptr<PathLength> make_search(const SharedGraph& graph, const std::string& method) {
  require_positive_lengths(graph);
  const bool weighted = !graph.lengths.empty();
  if (method == "breadth-first" && weighted) {
    throw Error(ErrorKind::usage,
                "breadth-first counts edges, and this graph has lengths: choose dijkstra or hierarchy, or leave the "
                "lengths out (data.weighted = false)");
  }
  if (method == "breadth-first") return make_breadth_first(graph);
  if (method == "dijkstra") return make_dijkstra(graph);
  throw Error(ErrorKind::usage, fmt::format("there is no method '{}' for path lengths: choose hierarchy, "
                                            "breadth-first, dijkstra or auto",
                                            method));
}

}  // namespace

std::unique_ptr<PathLength> make_path_length(const Communicator& communicator, const SharedGraph& graph,
                                             const std::string& method) {
  const bool chosen = method == "auto";
  auto result = collectively(communicator, [&] {
    return make_search(graph, !chosen ? method : graph.lengths.empty() ? "breadth-first" : "dijkstra");
  });
  result->set_choice(chosen ? "the graph has " + std::string(graph.lengths.empty() ? "no lengths" : "lengths")
                            : "as asked for");
  return result;
}

}  // namespace cairn
