#include "cairn/similarity/shortest_paths/graph_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace cairn {

namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

// Searches of one thread: the arrays are reused, and only what the last search touched is cleared.
class BreadthFirstSearch {
 public:
  explicit BreadthFirstSearch(const SharedGraph& graph)
      : graph_(graph), steps_(static_cast<std::size_t>(graph.vertices()), -1) {}

  // @param until  called with each vertex that is reached; true ends the search
  template <class Until>
  void run(Index source, Until until) {
    for (const std::int32_t v : queue_) steps_[v] = -1;
    queue_.clear();
    const auto reach = [&](std::int32_t v, std::int32_t steps) {
      steps_[v] = steps;
      queue_.push_back(v);
      return until(v);
    };
    if (reach(static_cast<std::int32_t>(source), 0)) return;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::int32_t v = queue_[head], next = steps_[v] + 1;
      for (Index a = graph_.starts[v]; a < graph_.starts[v + 1]; ++a) {
        const std::int32_t w = graph_.neighbors[a];
        if (steps_[w] < 0 && reach(w, next)) return;
      }
    }
  }

  [[nodiscard]] double length(Index v) const {
    const std::int32_t steps = steps_[v];
    return steps < 0 ? unreached : static_cast<double>(steps);
  }

 private:
  const SharedGraph& graph_;
  std::vector<std::int32_t> steps_;
  std::vector<std::int32_t> queue_;
};

// The same with lengths. A vertex may be in the heap several times; all but its first removal are skipped.
class DijkstraSearch {
 public:
  explicit DijkstraSearch(const SharedGraph& graph)
      : graph_(graph), lengths_(static_cast<std::size_t>(graph.vertices()), unreached) {}

  // @param until  called with each vertex whose length is final; true ends the search
  template <class Until>
  void run(Index source, Until until) {
    for (const std::int32_t v : reached_) lengths_[v] = unreached;
    reached_.clear();
    heap_.clear();
    relax(static_cast<std::int32_t>(source), 0.0);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, farther);
      const Reached top = heap_.back();
      heap_.pop_back();
      if (top.length > length(top.vertex)) continue;
      if (until(top.vertex)) return;
      for (Index a = graph_.starts[top.vertex]; a < graph_.starts[top.vertex + 1]; ++a) {
        relax(graph_.neighbors[a], top.length + (graph_.lengths.empty() ? 1.0 : graph_.lengths[a]));
      }
    }
  }

  [[nodiscard]] double length(Index v) const { return lengths_[v]; }
  [[nodiscard]] const std::vector<std::int32_t>& reached() const { return reached_; }

 private:
  struct Reached {
    double length;
    std::int32_t vertex;
  };
  static bool farther(const Reached& a, const Reached& b) { return a.length > b.length; }

  void relax(std::int32_t v, double length) {
    double& best = lengths_[v];
    if (length >= best) return;
    if (best == unreached) reached_.push_back(v);
    best = length;
    heap_.push_back({length, v});
    std::ranges::push_heap(heap_, farther);
  }

  const SharedGraph& graph_;
  std::vector<double> lengths_;
  std::vector<std::int32_t> reached_;
  std::vector<Reached> heap_;
};

// The search continues only where it lowers `nearest`: beyond a vertex that is as near to an earlier source, nothing is
// nearer to this one. `nearest` itself marks reached vertices.
Index lower_breadth_first(const SharedGraph& graph, Index source, std::span<double> nearest) {
  std::vector<std::int32_t> queue;
  const auto reach = [&](std::int32_t v, double steps) {
    double& best = nearest[v];
    if (steps >= best) return;
    best = steps;
    queue.push_back(v);
  };
  reach(static_cast<std::int32_t>(source), 0.0);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::int32_t v = queue[head];
    const double next = nearest[v] + 1.0;
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) reach(graph.neighbors[a], next);
  }
  return static_cast<Index>(queue.size());
}

Index lower_dijkstra(const SharedGraph& graph, Index source, std::span<double> nearest) {
  using Reached = std::pair<double, std::int32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> heap;
  Index found = 0;
  const auto relax = [&](std::int32_t v, double length) {
    double& best = nearest[v];
    if (length >= best) return;
    best = length;
    heap.emplace(length, v);
  };
  relax(static_cast<std::int32_t>(source), 0.0);
  while (!heap.empty()) {
    const auto [length, v] = heap.top();
    heap.pop();
    if (length > nearest[v]) continue;
    ++found;
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      relax(graph.neighbors[a], length + (graph.lengths.empty() ? 1.0 : graph.lengths[a]));
    }
  }
  return found;
}

// Targets with marks, so that a search detects the last one.
struct MarkedTargets final : TargetSet {
  std::vector<bool> marked;
};

bool has_whole_lengths(const SharedGraph& graph) {
  return std::ranges::all_of(graph.lengths.values(), [](double length) { return length == std::floor(length); });
}

// Upper bound of path lengths in a directed graph: a shortest path leaves a vertex once at most.
double sum_of_longest_arcs(const SharedGraph& graph) {
  double sum = 0.0;
  for (Index v = 0; v < graph.vertices(); ++v) {
    double longest = 0.0;
    for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
      if (std::isfinite(graph.lengths[a])) longest = std::max(longest, graph.lengths[a]);
    }
    sum += longest;
  }
  return sum;
}

// True if every path is shorter than 2^32, by the eccentricity of one vertex of each component: no path is longer than
// twice that. Searches the whole graph once.
bool has_small_path_lengths(const SharedGraph& graph) {
  if (graph.lengths.empty()) return true;
  if (graph.directed) return sum_of_longest_arcs(graph) < 0x1p32;
  std::vector<bool> seen(graph.vertices());
  DijkstraSearch search(graph);
  for (Index v = 0; v < graph.vertices(); ++v) {
    if (seen[v]) continue;
    double eccentricity = 0.0;
    search.run(v, [&](Index w) { return eccentricity = search.length(w), false; });
    for (const std::int32_t w : search.reached()) seen[w] = true;
    if (2.0 * eccentricity >= 0x1p32) return false;
  }
  return true;
}

// The directed graph with all arcs turned around.
SharedGraph reversed_graph(const Communicator& communicator, const SharedGraph& graph) {
  SharedGraph turned = graph.share();
  turned.lengths = NodeArray<double>(communicator, graph.arcs());
  if (turned.lengths.node().is_root()) {
    for (Index v = 0; v < graph.vertices(); ++v) {
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        const Index w = graph.neighbors[a];
        const auto own = graph.neighbors.values().subspan(graph.starts[w], graph.starts[w + 1] - graph.starts[w]);
        const auto back = std::ranges::lower_bound(own, static_cast<std::int32_t>(v)) - own.begin();
        turned.lengths.writable()[graph.starts[w] + back] = graph.lengths[a];
      }
    }
  }
  turned.lengths.publish();
  return turned;
}

template <class Search>
class GraphSearch final : public PathLength {
 public:
  static constexpr Index searches_in_batch = 8;  // they share their arrays
  static constexpr bool unit = std::is_same_v<Search, BreadthFirstSearch>;

  explicit GraphSearch(const SharedGraph& graph, Arcs arcs)
      : GraphSearch(graph, arcs, unit || has_whole_lengths(graph)) {}

  [[nodiscard]] std::unique_ptr<PathLength> reversed(const Communicator& communicator) const override {
    const SharedGraph turned = reversed_graph(communicator, graph_);
    auto result = std::make_unique<GraphSearch>(turned, arcs() == Arcs::forward ? Arcs::backward : Arcs::forward);
    result->describe_as(*this);
    return result;
  }

  [[nodiscard]] std::unique_ptr<TargetSet> prepare(std::vector<Index> targets) const override {
    auto set = std::make_unique<MarkedTargets>();
    set->marked.resize(size());
    for (const Index t : targets) set->marked[t] = true;
    set->targets = std::move(targets);
    return set;
  }

 protected:
  void compute_to_targets(std::span<const Index> sources, const TargetSet& targets,
                          MatrixView<double> out) const override {
    const auto& marked = dynamic_cast<const MarkedTargets&>(targets).marked;
    Search search(graph_);
    for (Index a = 0; a < out.rows; ++a) {
      const Index source = sources[a];
      auto missing = static_cast<Index>(targets.targets.size());
      search.run(source, [&](Index v) { return marked[v] && --missing == 0; });
      for (Index b = 0; b < out.columns; ++b) {
        const Index target = targets.targets[b];
        if ((out(a, b) = search.length(target)) == unreached) report_no_path(source, target);
      }
    }
  }

  void compute_to_all(std::span<const Index> sources, MatrixView<double> out) const override {
    Search search(graph_);
    for (Index a = 0; a < out.rows; ++a) {
      const Index source = sources[a];
      search.run(source, [](Index) { return false; });
      for (Index v = 0; v < out.columns; ++v) {
        if ((out(a, v) = search.length(v)) == unreached) report_no_path(source, v);
      }
    }
  }

  [[nodiscard]] LengthsFound compute_rows(std::span<const Index> sources, const TargetSet& targets, double scale,
                                          const LengthRows& out) const override {
    Search search(graph_);
    LengthsFound found;
    std::vector<double> lengths(targets.targets.size());
    const auto& marked = dynamic_cast<const MarkedTargets&>(targets).marked;
    for (std::size_t a = 0; a < sources.size(); ++a) {
      auto missing = static_cast<Index>(targets.targets.size());
      search.run(sources[a], [&](Index v) { return marked[v] && --missing == 0; });
      std::ranges::transform(targets.targets, lengths.begin(), [&](Index v) { return search.length(v); });
      const auto row = static_cast<Index>(a);
      std::visit(
          [&](auto rows) {
            rows.data = rows.row(row), rows.rows = 1;
            found.add(write_lengths(lengths.data(), 1, scale, rows), row);
          },
          out);
    }
    return found;
  }

  [[nodiscard]] Index compute_lower(Index source, std::span<double> nearest) const override {
    return unit ? lower_breadth_first(graph_, source, nearest) : lower_dijkstra(graph_, source, nearest);
  }

 private:
  GraphSearch(const SharedGraph& graph, Arcs arcs, bool whole)
      : PathLength(unit ? "breadth-first" : "dijkstra", graph.vertices(), whole,
                   whole && (unit || has_small_path_lengths(graph)), searches_in_batch, arcs),
        graph_(graph.share()) {}

  SharedGraph graph_;
};

}  // namespace

std::unique_ptr<PathLength> make_breadth_first(const SharedGraph& graph) {
  return std::make_unique<GraphSearch<BreadthFirstSearch>>(graph, Arcs::both_ways);
}

std::unique_ptr<PathLength> make_dijkstra(const SharedGraph& graph) {
  return std::make_unique<GraphSearch<DijkstraSearch>>(graph, graph.directed ? Arcs::forward : Arcs::both_ways);
}

}  // namespace cairn
