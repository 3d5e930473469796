// New lengths and one-way arcs on a graph (FILE, its lengths are not used): COUNT times random lengths of all edges,
// the seconds from these lengths to path lengths, and 1,000 pairs of each held against Dijkstra's algorithm; then the
// same where a share ONE_WAY of the edges are arcs in one direction; then tables between SIZE sources and as many
// targets of both in memory. One line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/similarity/shortest_paths/completed_graph.hpp"
#include "cairn/similarity/shortest_paths/graph_search.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

constexpr double infinite = std::numeric_limits<double>::infinity();

// The graph with lengths of 1 to 1,000, which are those of both arcs unless directed.
SharedGraph weighed(const Communicator& world, const SharedGraph& graph, double one_way, std::uint64_t seed) {
  const Random random(seed, Stream::generator);
  SharedGraph result = graph.share();
  result.directed = one_way > 0.0;
  result.lengths = NodeArray<double>(world, graph.arcs());
  if (result.lengths.node().is_root()) {
    for (Index v = 0; v < graph.vertices(); ++v) {
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        const Index w = graph.neighbors[a];
        const auto low = static_cast<std::uint64_t>(std::min(v, w)), high = static_cast<std::uint64_t>(std::max(v, w));
        const double kind = random.uniform(low, 4 * high);
        const bool lacks = kind < one_way && (kind < 0.5 * one_way) == (v < w);
        const std::uint64_t direction = result.directed && v > w ? 2 : 1;
        result.lengths.writable()[a] =
            lacks ? infinite : 1.0 + std::floor(1000.0 * random.uniform(low, 4 * high + direction));
      }
    }
  }
  result.lengths.publish();
  return result;
}

void set_lengths(const SharedGraph& graph, CompletedGraph& completed) {
  if (completed.up.node().is_root()) {
    std::ranges::fill(completed.up.writable(), infinite);
    std::ranges::fill(completed.down.writable(), infinite);
    for (Index v = 0; v < graph.vertices(); ++v) {
      for (Index a = graph.starts[v]; a < graph.starts[v + 1]; ++a) {
        const std::int32_t from = completed.place_of[v], to = completed.place_of[graph.neighbors[a]];
        if (from < to && !graph.directed) continue;
        const Index arc =
            arc_between(completed.starts.values(), completed.heads.values(), std::max(from, to), std::min(from, to));
        (from < to ? completed.down : completed.up).writable()[arc] = graph.lengths[a];
      }
    }
  }
  completed.up.publish();
  if (completed.directed) completed.down.publish();
}

std::vector<Index> drawn(Index vertices, Index count, std::uint64_t seed) {
  return sample_without_replacement(vertices, std::min(count, vertices), Random(seed, Stream::probe));
}

std::vector<double> table(const PathLength& lengths, const std::vector<Index>& sources,
                          const std::vector<Index>& targets) {
  std::vector<double> out(sources.size() * targets.size());
  const MatrixView<double> view(out.data(), std::ssize(sources), std::ssize(targets));
  static_cast<void>(lengths.write_rows(sources, *lengths.prepare(targets), 1.0, LengthRows(view)));
  return out;
}

// Compares pairs of 10 sources and 100 targets; ranks share the sources.
void require_equal(const Communicator& world, const SharedGraph& graph, const PathLength& lengths, std::uint64_t seed) {
  const std::vector<Index> all = drawn(graph.vertices(), 10, seed), targets = drawn(graph.vertices(), 100, seed + 1);
  const auto search = make_dijkstra(graph);
  for (std::size_t k = static_cast<std::size_t>(world.rank()); k < all.size();
       k += static_cast<std::size_t>(world.size())) {
    if (table(*search, {all[k]}, targets) == table(lengths, {all[k]}, targets)) continue;
    throw Error(ErrorKind::internal, "path lengths from vertex " + std::to_string(all[k]) + " differ");
  }
}

// Seconds for lengths between `size` sources and as many targets, in blocks of 16 MB.
double table_seconds(const Communicator& world, const PathLength& lengths, Index size) {
  const std::vector<Index> sources = drawn(lengths.size(), size, 1), targets = drawn(lengths.size(), size, 2);
  const Index count = std::ssize(sources), lanes = lengths.traits().batch;
  const bench::Stopwatch watch(world);
  const std::vector<Index> order = lengths.order_of(sources);
  const auto set = lengths.prepare(targets);
  const Index together = std::max<Index>((Index{4} << 20) / count / lanes, 1) * lanes;
  Buffer<std::uint32_t> rows(together * count);
  const Index end = count * (world.rank() + 1) / world.size();
  for (Index begin = count * world.rank() / world.size(); begin < end; begin += together) {
    std::vector<Index> block;
    for (Index k = begin; k < std::min(begin + together, end); ++k) block.push_back(sources[order[k]]);
    const MatrixView<std::uint32_t> out(rows.data(), std::ssize(block), count);
    static_cast<void>(lengths.write_rows(block, *set, 1.0, LengthRows(out)));
  }
  return watch.seconds();
}

struct Reweighed {
  std::vector<double> seconds, processor_seconds;  // the latter of rank 0, which also waits
  double order_seconds = 0.0, table_seconds = 0.0;
  Index completion_arcs = 0, length_bytes = 0;
};

Reweighed reweigh(const Communicator& world, const SharedGraph& graph, int count, double one_way, Index size) {
  Reweighed result;
  const bench::Stopwatch ordering(world);
  CompletedGraph completed = complete(world, weighed(world, graph, one_way, 0), true, {});
  result.order_seconds = ordering.seconds();
  for (int round = 0; round < count; ++round) {
    const SharedGraph lengths = weighed(world, graph, one_way, static_cast<std::uint64_t>(round));
    set_lengths(lengths, completed);
    const std::clock_t begin = std::clock();
    const bench::Stopwatch watch(world);
    const auto paths = customized(world, completed, 1);
    result.seconds.push_back(watch.seconds());
    result.processor_seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    require_equal(world, lengths, *paths, static_cast<std::uint64_t>(round));
    result.completion_arcs = completed.arcs();
    result.length_bytes = paths->length_bytes();
    if (round + 1 == count) result.table_seconds = table_seconds(world, *paths, size);
  }
  return result;
}

nlohmann::json line_of(const Reweighed& reweighed) {
  return {{"seconds", reweighed.seconds},
          {"processor_seconds", reweighed.processor_seconds},
          {"slowest_seconds", *std::ranges::max_element(reweighed.seconds)},
          {"order_seconds", reweighed.order_seconds},
          {"completion_arcs", reweighed.completion_arcs},
          {"length_bytes", reweighed.length_bytes},
          {"table_seconds", reweighed.table_seconds}};
}

nlohmann::json run(const Communicator& world, const std::string& file, int count, double one_way, Index size) {
  GraphSource source;
  source.path = file;
  source.weighted = false;
  const SharedGraph graph = read_graph(world, source).share(world);
  const double triad = bench::triad_gigabytes(world);
  const Reweighed both = reweigh(world, graph, count, 0.0, size),
                  directed = reweigh(world, graph, count, one_way, size);
  return {{"vertices", graph.vertices()},
          {"edges", graph.arcs() / 2},
          {"ranks", world.size()},
          {"size", size},
          {"one_way", one_way},
          {"undirected", line_of(both)},
          {"directed", line_of(directed)},
          {"triad_gigabytes", triad},
          {"table_ratio", directed.table_seconds / both.table_seconds},
          {"peak_bytes", world.maximum(peak_resident_bytes())}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench_reweighing FILE COUNT ONE_WAY SIZE\n");
    return 2;
  }
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    return run(world, argv[1], std::atoi(argv[2]), std::atof(argv[3]), std::atoll(argv[4]));
  });
}
