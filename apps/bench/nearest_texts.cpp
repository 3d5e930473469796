// The nearest texts by word mover's distance, of all texts of a collection, and of some of them by all distances.
// Arguments: KIND: tweets, recipes, abstracts, messages; the folder of the data; neighbors; texts that are compared
// with all others. Any ranks. One line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/nearest_search.hpp"
#include "cairn/similarity/word_movers/word_movers_distance.hpp"
#include "real_texts.hpp"

namespace {

using namespace cairn;

// The drawn texts that this rank owns, each in a group of its own.
SearchSide drawn_texts(const ObjectSet& objects, const std::vector<Index>& drawn) {
  SearchSide side{objects, {}, {}};
  for (const Index row : drawn) {
    if (objects.range().contains(row)) side.rows.push_back(row);
  }
  side.groups = side.rows;
  return side;
}

// Neighbors that differ; of equally far ones any may stand there.
Index differences(const FoundNeighbors& found, const FoundNeighbors& exact) {
  Index count = std::abs(std::ssize(found.neighbors) - std::ssize(exact.neighbors));
  for (std::size_t j = 0; j < std::min(found.neighbors.size(), exact.neighbors.size()); ++j) {
    const Neighbor &a = found.neighbors[j], &b = exact.neighbors[j];
    count += a.object != b.object && std::abs(a.value - b.value) > 1e-10 * b.value ? 1 : 0;
  }
  return count;
}

nlohmann::json run(const Communicator& world, const DocumentSource& source, Index k, Index sample) {
  const auto read = read_documents(world, source);
  const DocumentSet& documents = *read.documents;
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 0};
  const auto distance = make_wmd_distance<double>(execution, documents);
  const auto seconds = [&](const auto& work) {
    world.barrier();
    const double start = MPI_Wtime();
    work();
    return world.maximum(MPI_Wtime() - start);
  };
  const NearestSearch& search = *nearest_search(*distance);
  const SearchSide all = all_objects(documents);
  FoundNeighbors found, some, exact;
  const std::clock_t before = std::clock();
  const double of_all = seconds([&] { found = search.nearest(execution, all, all, k); });
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const Index evaluated = world.sum(distance->evaluations());
  std::vector<Index> drawn = sample_without_replacement(documents.size(), sample, Random(1, Stream::test));
  std::sort(drawn.begin(), drawn.end());
  const SearchSide asked = drawn_texts(documents, drawn);
  some = search.nearest(execution, asked, all, k);
  const double of_sample = seconds([&] { exact = nearest_by_entries(execution, *distance, asked, all, k); });
  const auto n = static_cast<double>(documents.size());
  nlohmann::json line;
  line["documents"] = documents.size();
  line["words_a_document"] = static_cast<double>(world.sum(std::ssize(documents.bags().words))) / n;
  line["seconds"] = of_all;
  line["busy_seconds"] = world.maximum(busy);  // of the processor, of a rank
  line["distances_a_text"] = static_cast<double>(evaluated) / n;
  line["sample"] = sample;
  line["seconds_by_all_distances"] = of_sample * n / static_cast<double>(sample);
  line["differences"] = world.sum(differences(some, exact));
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    const Index k = argc == 5 ? std::atoll(argv[3]) : 0, sample = argc == 5 ? std::atoll(argv[4]) : 0;
    if (k < 1 || sample < 1) {
      throw Error(ErrorKind::usage, "bench_nearest_texts KIND DATA K SAMPLE");
    }
    return run(world, bench::texts_of_kind(argv[1], argv[2], world), k, sample);
  });
}
