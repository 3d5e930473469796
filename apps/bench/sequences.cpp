// Similarities of a tile of the questions shipped with the project (TREC). Arguments: KIND: words, letters, edits;
// their file; rows; columns; for edits a file for its sequences, one per line, for the peer levenshtein_edits.py. The
// peer of subsequences is the plain published recursion, one pair at a time. One rank. One line of JSON.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/sequences/sequence_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/sequences/sequence_similarities.hpp"

namespace {

using namespace cairn;
using Sequence = std::span<const std::int32_t>;

constexpr int length = 4;
constexpr double decay = 0.75;

// K of one pair, by the dynamic program for K' and K'' of the paper.     [Lodhi et al. 2002]
double plain_subsequences(Sequence x, Sequence y, std::vector<double>& primed, std::vector<double>& next) {
  const std::size_t n = x.size(), m = y.size();
  primed.assign((n + 1) * (m + 1), 1.0);
  double sum = 0;
  for (int l = 1; l <= length; ++l) {
    next.assign((n + 1) * (m + 1), 0.0);
    for (std::size_t i = 1; i <= n; ++i) {
      double second = 0;
      for (std::size_t j = 1; j <= m; ++j) {
        second *= decay;
        if (x[i - 1] == y[j - 1]) {
          const double term = decay * decay * primed[(i - 1) * (m + 1) + j - 1];
          sum += term;
          second += term;
        }
        next[i * (m + 1) + j] = decay * next[(i - 1) * (m + 1) + j] + second;
      }
    }
    std::swap(primed, next);
  }
  return sum;
}

// All pairs of a tile, normalized, computed as by the peer.
void plain_tile(const SequenceBlock& rows, const SequenceBlock& columns, std::vector<double>& values) {
  std::vector<double> primed, next, selves;
  for (Index b = 0; b < columns.size(); ++b) {
    selves.push_back(plain_subsequences(columns.sequence(b), columns.sequence(b), primed, next));
  }
  values.clear();
  for (Index a = 0; a < rows.size(); ++a) {
    const double self = plain_subsequences(rows.sequence(a), rows.sequence(a), primed, next);
    for (Index b = 0; b < columns.size(); ++b) {
      const double value = plain_subsequences(rows.sequence(a), columns.sequence(b), primed, next);
      values.push_back(value / std::sqrt(self * selves[b]));
    }
  }
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = MPI_Wtime();
  work();
  return MPI_Wtime() - start;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void write_lines(const std::string& path, const SequenceBlock& rows, const SequenceBlock& columns) {
  std::ofstream file(path);
  for (const SequenceBlock* block : {&rows, &columns}) {
    for (Index a = 0; a < block->size(); ++a) {
      for (const std::int32_t symbol : block->sequence(a)) file << block->alphabet->name(symbol);
      file << '\n';
    }
  }
}

// Times both sides alternately, five times after a warm-up of the caches; for edits only Cairn.
nlohmann::json run(const Communicator& world, const std::string& kind, const std::string& path, Index rows,
                   Index columns, const std::string& lines) {
  const bool edits = kind == "edits";
  const auto read = read_sequences(
      world,
      {.path = path, .format = "kelp", .tokens = kind == "words" ? "blanks" : "characters", .sequence = "quest"});
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 0};
  SimilarityChoice choice(edits ? edit_distance_similarity() : subsequence_similarity());
  if (!edits) choice.set("length", std::to_string(length)).set("lambda", std::to_string(decay));
  const auto similarity = make_similarity<double>(execution, choice, *read.sequences);
  const auto drawn = sample_without_replacement(read.sequences->size(), rows + columns, Random(1, Stream::test));
  const std::span<const Index> all(drawn);
  const auto right = read.sequences->gather(world, all.subspan(rows));
  const auto left = read.sequences->gather(world, all.first(rows));
  const auto& x = dynamic_cast<const SequenceBlock&>(*left);
  const auto& y = dynamic_cast<const SequenceBlock&>(*right);
  std::vector<double> values(rows * columns), expected;
  std::vector<double> ours, plain;
  for (int repeat = 0; repeat <= 5; ++repeat) {
    const double own = seconds_of([&] { similarity->tile(x, y, {values.data(), rows, columns}); });
    const double other = edits ? 0 : seconds_of([&] { plain_tile(x, y, expected); });
    if (repeat > 0) ours.push_back(own), plain.push_back(other);
  }
  nlohmann::json line;
  const auto pairs = static_cast<double>(rows * columns);
  line["pairs"] = rows * columns;
  line["symbols_a_sequence"] = static_cast<double>(read.report.symbols) / static_cast<double>(read.sequences->size());
  line["pairs_a_second"] = pairs / median(ours);
  if (edits) {
    if (!lines.empty()) write_lines(lines, x, y);
    double sum = 0;
    for (const double value : values) sum += value;
    line["all_distances"] = sum;
    return line;
  }
  double largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) largest = std::max(largest, std::abs(values[k] - expected[k]));
  line["plain_pairs_a_second"] = pairs / median(plain);
  line["ratio"] = median(plain) / median(ours);
  line["largest_difference"] = largest;
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    const Index rows = argc > 4 ? std::atoll(argv[3]) : 0, columns = argc > 4 ? std::atoll(argv[4]) : 0;
    if (rows < 1 || columns < 1 || world.size() != 1) {
      throw Error(ErrorKind::usage, "bench_sequences KIND FILE ROWS COLUMNS [LINES], on one rank");
    }
    return run(world, argv[1], argv[2], rows, columns, argc > 5 ? argv[5] : "");
  });
}
