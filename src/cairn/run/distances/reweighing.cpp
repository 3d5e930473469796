#include "cairn/run/distances/reweighing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/graph/edge_lines.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
constexpr double not_given = -1.0;

// Vertices by their numbers in the file.
class VertexNumbers {
 public:
  VertexNumbers(const Communicator& communicator, const NumbersInFile& numbers, Index vertices)
      : first_(numbers.first), vertices_(vertices) {
    if (numbers.listed) listed_ = replicate_on_nodes(communicator, std::span<const Index>(numbers.own));
  }
  [[nodiscard]] Index vertex(Index number) const {
    Index found = number - first_;
    if (!listed_.empty()) {
      const auto place = std::ranges::lower_bound(listed_.values(), number);
      found = place != listed_.values().end() && *place == number ? place - listed_.values().begin() : -1;
    }
    if (found < 0 || found >= vertices_) {
      throw Error(ErrorKind::input, fmt::format("the graph has no vertex {}", number));
    }
    return found;
  }
  [[nodiscard]] Index number(Index vertex) const { return listed_.empty() ? first_ + vertex : listed_[vertex]; }

 private:
  Index first_, vertices_;
  NodeArray<Index> listed_;
};

// A length for an arc of the completion, downward if `slot` is odd.
struct Given {
  Index slot;
  double length;
};

struct Counts {
  Index repeated = 0, different = 0, missing = 0;
  Index from = -1, to = -1;  // vertices of the first edge without a length
};

class Lengths {
 public:
  Lengths(const Communicator& communicator, NumberedCompletion& stored)
      : graph_(stored.graph), numbers_(communicator, stored.numbers, stored.graph.size()) {}

  [[nodiscard]] Given given(Index u, Index v, double length) const {
    const std::int32_t from = graph_.place_of[numbers_.vertex(u)], to = graph_.place_of[numbers_.vertex(v)];
    const Index arc =
        arc_between(graph_.starts.values(), graph_.heads.values(), std::max(from, to), std::min(from, to));
    const bool downward = graph_.directed && from < to;
    if (arc < 0 || !exists(arc, downward)) {
      throw Error(ErrorKind::input,
                  fmt::format("the graph has no {} {} {} {}", graph_.directed ? "arc from" : "edge between", u,
                              graph_.directed ? "to" : "and", v));
    }
    return {2 * arc + (downward ? 1 : 0), length};
  }

  // Takes all lengths, on one rank of each node.
  [[nodiscard]] Counts replace(std::span<const Given> all) {
    const auto up = graph_.up.writable(), down = graph_.down.writable();
    for (const auto& list : {up, down}) {
      for (double& length : list) length = std::isfinite(length) ? not_given : unreached;
    }
    Counts counts;
    std::vector<bool> differs(2 * up.size());
    for (const auto& [slot, length] : all) {
      double& own = slot % 2 == 0 ? up[slot / 2] : down[slot / 2];
      if (own == not_given) {
        own = length;
        continue;
      }
      ++counts.repeated;
      if (own != length && !differs[slot]) ++counts.different;
      differs[slot] = differs[slot] || own != length;
      own = std::min(own, length);
    }
    find_missing(counts);
    return counts;
  }

  [[nodiscard]] Index number(Index vertex) const { return numbers_.number(vertex); }

 private:
  [[nodiscard]] bool exists(Index arc, bool downward) const {
    return std::isfinite(downward ? graph_.down[arc] : graph_.up[arc]);
  }

  void find_missing(Counts& counts) const {
    for (Index p = 0; p < graph_.size(); ++p) {
      for (Index a = graph_.starts[p]; a < graph_.starts[p + 1]; ++a) {
        for (const bool downward : {false, true}) {
          if (downward && !graph_.directed) continue;
          if ((downward ? graph_.down[a] : graph_.up[a]) != not_given) continue;
          if (counts.missing++ > 0) continue;
          counts.from = graph_.vertex_at[downward ? graph_.heads[a] : p];
          counts.to = graph_.vertex_at[downward ? p : graph_.heads[a]];
        }
      }
    }
  }

  CompletedGraph& graph_;
  VertexNumbers numbers_;
};

Index edges_of(const CompletedGraph& graph) {
  const auto finite = [](const NodeArray<double>& lengths) {
    return std::ranges::count_if(lengths.values(), [](double length) { return std::isfinite(length); });
  };
  return finite(graph.up) + finite(graph.down);
}

}  // namespace

CompletedSource complete_graph(const Execution& execution, const Values& graph, const Values& search) {
  const Communicator& communicator = execution.communicator;
  const std::string& method = search.text("search");
  if (method != "auto" && method != "hierarchy") {
    search.refuse("search", "has no hierarchy, which new lengths need: take hierarchy or auto");
  }
  CompletedSource source;
  SharedGraph shared;
  {
    const auto phase = execution.phases.enter("read");
    const auto [read, notes] = read_graph(communicator, graph);
    source.stored.numbers = numbers_of(communicator, read);
    source.facts = facts_of(read);
    source.notes = notes;
    shared = read.share(communicator);
  }
  const auto phase = execution.phases.enter("hierarchy");
  source.stored.graph = complete(communicator, shared, method == "hierarchy", search.keys());
  return source;
}

CompletedSource read_completed_source(const Execution& execution, const std::string& path) {
  const auto phase = execution.phases.enter("read");
  CompletedSource source;
  source.stored = read_completed_graph(execution.communicator, path);
  const CompletedGraph& graph = source.stored.graph;
  const char* const edge = graph.directed ? "arcs" : "edges";
  source.facts = {
      {"graph",
       fmt::format("{} vertices, {} {}, completed in {}", grouped(graph.size()), grouped(edges_of(graph)), edge, path),
       "vertices", graph.size()},
      {"", "", "edges", edges_of(graph)},
      {"", "", "directed", graph.directed}};
  return source;
}

void take_lengths(const Execution& execution, const Values& values, const std::string& path, CompletedSource& source) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read lengths");
  CompletedGraph& graph = source.stored.graph;
  const bool named = communicator.maximum(Index{!source.stored.numbers.names.empty()}) != 0;
  if (named) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: the vertices of the graph have names, and new lengths are for graphs "
                            "whose vertices have numbers",
                            path));
  }
  Lengths lengths(communicator, source.stored);
  GraphSource file = graph_source(values);
  file.path = path;
  std::vector<Given> own;
  for_each_edge(communicator, file, values.flag("zero-lengths"), [&](Index u, Index v, double length) {
    if (u != v) own.push_back(lengths.given(u, v, length));
  });
  const NodeArray<Given> all = replicate_on_nodes(communicator, std::span<const Given>(own));
  graph.up.node().barrier();  // all ranks have looked up what is now overwritten
  Counts counts;
  collectively(communicator, [&] {
    if (graph.up.node().is_root()) counts = lengths.replace(all.values());
  });
  graph.up.publish();
  if (graph.directed) graph.down.publish();
  communicator.broadcast(std::span(&counts, 1), 0);
  if (counts.missing > 0) {
    throw Error(
        ErrorKind::input,
        fmt::format("{}: has no length for {} {} {} {}{}", path, graph.directed ? "the arc from" : "the edge between",
                    lengths.number(counts.from), graph.directed ? "to" : "and", lengths.number(counts.to),
                    counts.missing > 1 ? fmt::format(" (one of {} without one)", grouped(counts.missing)) : ""));
  }
  if (counts.different > 0) {
    source.notes.push_back(fmt::format("{} {} have more than one length in {}; the least is taken",
                                       grouped(counts.different), graph.directed ? "arcs" : "edges", path));
  }
}

PathLengthSource customized_lengths(const Execution& execution, CompletedSource source) {
  PathLengthSource result;
  CompletedGraph& graph = source.stored.graph;
  result.numbers = std::move(source.stored.numbers);
  result.facts = std::move(source.facts);
  result.notes = std::move(source.notes);
  result.digest = hash_bytes(std::as_bytes(graph.vertex_at.values()), graph.directed ? 2 : 1);
  for (const auto* lengths : {&graph.up, &graph.down}) {
    result.digest = hash_bytes(std::as_bytes(lengths->values()), result.digest);
  }
  const auto phase = execution.phases.enter("customize");
  result.lengths = customized(execution.communicator, graph, execution.threads);
  return result;
}

TaskReport write_completed_source(const Execution& execution, const CompletedSource& source, const OutputPath& path) {
  write_completed_graph(execution, path, source.stored);
  TaskReport report = report_of(source.stored);
  report.text.metric("written", path.file);
  for (const std::string& note : source.notes) report.text.note(note);
  report.metrics.emplace_back("out", path.file);
  return report;
}

TaskReport report_of(const NumberedCompletion& stored) {
  const CompletedGraph& graph = stored.graph;
  TaskReport report;
  report.text.metric("vertices", grouped(graph.size()))
      .metric(graph.directed ? "arcs" : "edges", grouped(edges_of(graph)))
      .metric("arcs of the completion", grouped(graph.arcs()));
  report.metrics = {{"vertices", graph.size()},
                    {"edges", edges_of(graph)},
                    {"directed", graph.directed},
                    {"completion_arcs", graph.arcs()}};
  return report;
}

}  // namespace cairn
