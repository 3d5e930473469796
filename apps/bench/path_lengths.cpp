// Path lengths between l landmarks of a graph (FILE, l, unit edge weights unless a third argument is "lengths"): the
// landmark matrix by the hierarchy, including its construction, compared with one plain search per source. Both run on
// the same ranks; the searches use a sample of the sources, and their lengths are compared. One line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmark_main.hpp"
#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

constexpr Index sampled_sources = 24;  // per rank

struct Searches {
  double seconds_per_source = 0.0;  // with all ranks busy
  Index differing = 0;              // entries of W that differ from those of a search, over all ranks
};

// Each rank searches from different landmarks.
Searches run_searches(const Communicator& world, const PathLength& search, const std::vector<Index>& landmarks,
                      const SymmetricTiles& w) {
  const auto count = static_cast<Index>(landmarks.size());
  const Index sources = std::max<Index>(1, std::min(sampled_sources, count / world.size()));
  std::vector<Index> rows, columns;
  std::vector<double> lengths(sources * count);
  const auto targets = search.prepare(landmarks);
  Searches result;
  const bench::Stopwatch watch(world);
  for (Index a = 0; a < sources; ++a) {
    const Index source = (a * world.size() + world.rank()) % count;
    search.to_targets(std::span(&landmarks[source], 1), *targets, {lengths.data() + a * count, 1, count});
    for (Index b = 0; b < count; ++b) rows.push_back(source), columns.push_back(b);
  }
  result.seconds_per_source = watch.seconds() / static_cast<double>(sources * world.size());
  const std::vector<double> entries = entries_of(world, w, rows, columns);
  for (std::size_t i = 0; i < entries.size(); ++i) result.differing += entries[i] != lengths[i] ? 1 : 0;
  result.differing = world.sum(result.differing);
  return result;
}

nlohmann::json run(const Communicator& world, const std::string& file, Index count, bool weighted) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  GraphSource source;
  source.path = file;
  source.weighted = weighted;
  const SharedGraph graph = read_graph(world, source).share(world);
  const std::vector<Index> landmarks =
      sample_without_replacement(graph.vertices(), std::min(count, graph.vertices()), Random(1, Stream::landmarks));

  nlohmann::json line;
  const bench::Stopwatch preparing(world);
  const auto similarity = make_path_length(world, graph, "hierarchy");
  const double preparation = preparing.seconds();
  const bench::Stopwatch computing(world);
  const SymmetricTiles w = landmark_matrix(execution, *similarity, landmarks);
  const double matrix = computing.seconds();
  const auto search = make_path_length(world, graph, graph.lengths.empty() ? "breadth-first" : "dijkstra");
  const Searches searches = run_searches(world, *search, landmarks, w);
  if (searches.differing > 0 && !(weighted && !similarity->traits().integral))
    throw Error(ErrorKind::internal, std::to_string(searches.differing) + " entries differ from those of searches");

  const auto size = static_cast<double>(landmarks.size());
  line["vertices"] = graph.vertices();
  line["edges"] = graph.arcs() / 2;
  line["landmarks"] = landmarks.size();
  line["ranks"] = world.size();
  line["hierarchy"] = similarity->choice();
  line["number"] = name_of(w.number());
  line["preparation_seconds"] = preparation;
  line["matrix_seconds"] = matrix;
  line["milliseconds_per_source"] = 1e3 * matrix * world.size() / size;  // for one rank
  line["search_milliseconds_per_source"] = 1e3 * searches.seconds_per_source * world.size();
  line["search_matrix_seconds"] = searches.seconds_per_source * size;
  line["ratio"] = searches.seconds_per_source * size / matrix;
  line["ratio_with_preparation"] = searches.seconds_per_source * size / (matrix + preparation);
  line["peak_bytes"] = world.maximum(peak_resident_bytes());
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_path_lengths FILE LANDMARKS [lengths]\n");
    return 2;
  }
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    return run(world, argv[1], std::atoll(argv[2]), argc > 3 && std::string(argv[3]) == "lengths");
  });
}
