// Path lengths of single pairs by labels: GRAPH PAIRS, a graph in any format and lines "i,j" of vertices from 0; unit
// edges unless a third argument is "lengths". Seconds of the hierarchy, of the labels, and of a pair. One line of JSON.
#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

struct Pairs {
  std::vector<Index> first, second;
};

Pairs read_pairs(const std::string& path) {
  std::ifstream file(path);
  Pairs pairs;
  Index i = 0, j = 0;
  for (char comma = 0; file >> i >> comma >> j;) pairs.first.push_back(i), pairs.second.push_back(j);
  if (pairs.first.empty()) throw Error(ErrorKind::input, path + " has no pairs");
  return pairs;
}

nlohmann::json run(const Communicator& world, const std::string& file, const std::string& pairs_file, bool weighted) {
  GraphSource source;
  source.path = file;
  source.weighted = weighted;
  const SharedGraph graph = read_graph(world, source).share(world);
  const Pairs pairs = read_pairs(pairs_file);
  const Index count = std::ssize(pairs.first);
  nlohmann::json line;
  const bench::Stopwatch ordering(world);
  const auto lengths = make_path_length(world, graph, "hierarchy");
  line["hierarchy_seconds"] = ordering.seconds();
  const bench::Stopwatch labelling(world);
  lengths->expect_pairs(world, count);
  line["label_seconds"] = labelling.seconds();
  std::vector<double> found(count);
  const bench::Stopwatch answering(world);
  lengths->pairs(pairs.first, pairs.second, found);
  line["seconds_a_pair"] = answering.seconds() / static_cast<double>(count);
  line["sum"] = std::accumulate(found.begin(), found.end(), 0.0);
  line["vertices"] = graph.vertices();
  line["edges"] = graph.arcs() / 2;
  line["pairs"] = count;
  line["index_bytes"] = lengths->label_bytes();
  line["peak_bytes"] = world.maximum(peak_resident_bytes());
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_pairs GRAPH PAIRS [lengths]\n");
    return 2;
  }
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    return run(world, argv[1], argv[2], argc > 3 && std::string(argv[3]) == "lengths");
  });
}
