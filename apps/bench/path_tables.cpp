// Path lengths from many sources of a graph (FILE, unit edge weights unless the last argument is "lengths"): COUNT
// sources to all vertices as columns of K (into new memory, and again into the same memory), and tables between SIZE
// sources and as many targets in memory, a block of rows at a time, as in `cairn distances`. The lower bound is memory
// traffic: the output, written once, at the rate of the triad; for a table also the arcs that a sweep reads. One line
// of JSON.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmark_main.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/similarity/columns.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

constexpr Index block_bytes = Index{16} << 20;  // as in `cairn distances`

std::vector<Index> drawn(const PathLength& lengths, Index count, Stream stream) {
  return sample_without_replacement(lengths.size(), std::min(count, lengths.size()), Random(1, stream));
}

// Checks the values of a few entries with Dijkstra's algorithm or a breadth-first search.
void require_equal(const PathLength& search, Index source, Index target, double length) {
  double truth = 0.0;
  search.to_targets(std::span(&source, 1), *search.prepare({target}), {&truth, 1, 1});
  if (std::abs(truth - length) <= 1e-12 * truth) return;
  throw Error(ErrorKind::internal, "the path between the vertices " + std::to_string(source) + " and " +
                                       std::to_string(target) + " has the length " + std::to_string(truth) +
                                       ", and not " + std::to_string(length));
}

nlohmann::json columns(const Execution& execution, const PathLength& lengths, const PathLength& search, Index count,
                       double triad) {
  const Communicator& world = execution.communicator;
  const std::vector<Index> sources = drawn(lengths, count, Stream::landmarks);
  const NumberedObjects objects(RowPartition(lengths.size(), world.size()), world.rank());
  const SourceEntries<double> entries(lengths);
  const auto picked = objects.gather(world, sources);
  const bench::Stopwatch fresh(world);
  RowBlock<double> out = evaluate_columns(execution, entries, objects, *picked, "columns", "columns");
  const double first = fresh.seconds();
  const bench::Stopwatch watch(world);
  evaluate_columns_into(execution, entries, objects, *picked, out, 0, "columns", "columns again");
  const double seconds = watch.seconds();
  const Range rows = out.range();
  for (Index k = 0; k < 3 && !rows.empty(); ++k) {
    const Index v = rows.begin + (rows.size() - 1) * k / 2;
    const auto b = static_cast<std::size_t>((std::ssize(sources) - 1) * k / 2);
    require_equal(search, sources[b], v, out.row(v)[b]);
  }
  const double bytes = 8.0 * static_cast<double>(lengths.size());
  return {{"sources", sources.size()},
          {"seconds", seconds},
          {"milliseconds_per_source", 1e3 * seconds / static_cast<double>(sources.size())},
          {"fresh_milliseconds_per_source", 1e3 * first / static_cast<double>(sources.size())},
          {"floor_milliseconds", 1e-6 * bytes / triad}};
}

// Uses numbers of the type Number.
template <class Number>
nlohmann::json table(const Communicator& world, const PathLength& lengths, const PathLength& search, Index size,
                     double triad) {
  const std::vector<Index> sources = drawn(lengths, size, Stream::landmarks),
                           targets = drawn(lengths, size, Stream::probe);
  const Index count = std::ssize(sources), lanes = lengths.traits().batch;
  const bench::Stopwatch watch(world);
  const std::vector<Index> order = lengths.order_of(sources);
  const auto set = lengths.prepare(targets);
  const Index together = std::max<Index>(block_bytes / (static_cast<Index>(sizeof(Number)) * count) / lanes, 1) * lanes;
  const Index own_end = (count * (world.rank() + 1) / world.size());
  Buffer<Number> rows(together * count);
  const Index first = count * world.rank() / world.size();
  std::pair<Index, double> checked;  // a source and its length to the last target
  for (Index begin = first; begin < own_end; begin += together) {
    const Index some = std::min(together, own_end - begin);
    std::vector<Index> block;
    for (Index k = begin; k < begin + some; ++k) block.push_back(sources[order[k]]);
    const MatrixView<Number> out(rows.data(), some, count);
    static_cast<void>(lengths.write_rows(block, *set, 1.0, LengthRows(out)));
    if (begin == first) checked = {block.front(), static_cast<double>(out(0, count - 1))};
  }
  const double seconds = watch.seconds();
  if (own_end > first) require_equal(search, checked.first, targets.back(), checked.second);
  return {{"size", count},
          {"seconds", seconds},
          {"nanoseconds_per_length", 1e9 * seconds / static_cast<double>(count) / static_cast<double>(count)},
          {"number_bytes", sizeof(Number)},
          {"floor_seconds", 1e-9 * sizeof(Number) * static_cast<double>(count) * static_cast<double>(count) / triad}};
}

nlohmann::json run(const Communicator& world, const std::string& file, Index count, const std::vector<Index>& sizes,
                   bool weighted) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  GraphSource source;
  source.path = file;
  source.weighted = weighted;
  const SharedGraph graph = read_graph(world, source).share(world);
  const double triad = bench::triad_gigabytes(world);
  const bench::Stopwatch preparing(world);
  const auto lengths = make_path_length(world, graph, "hierarchy");
  nlohmann::json line{{"vertices", graph.vertices()},
                      {"ranks", world.size()},
                      {"hierarchy_seconds", preparing.seconds()},
                      {"triad_gigabytes", triad}};
  const auto search = make_path_length(world, graph, graph.lengths.empty() ? "breadth-first" : "dijkstra");
  line["tables"] = nlohmann::json::array();
  const bool small = lengths->longest() <= longest_written<std::uint16_t>;
  for (const Index size : sizes) {
    line["tables"].push_back(small ? table<std::uint16_t>(world, *lengths, *search, size, triad)
                                   : table<std::uint32_t>(world, *lengths, *search, size, triad));
  }
  line["peak_bytes"] = world.maximum(peak_resident_bytes());  // columns are stored completely, tables are not
  if (count > 0) line["columns"] = columns(execution, *lengths, *search, count, triad);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_path_tables FILE COUNT [SIZE...] [lengths]\n");
    return 2;
  }
  const bool weighted = std::string(argv[argc - 1]) == "lengths";
  std::vector<Index> sizes;
  for (int k = 3; k < argc - (weighted ? 1 : 0); ++k) sizes.push_back(std::atoll(argv[k]));
  return cairn::bench::run_benchmark(
      argc, argv, [&](const Communicator& world) { return run(world, argv[1], std::atoll(argv[2]), sizes, weighted); });
}
