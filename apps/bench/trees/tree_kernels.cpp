// Tree kernels of rows with columns: Cairn's, and the published recursion one pair after another. Arguments: a kernel;
// a file of trees; which tree, or "" for the only one; rows; columns; for sptk a file of vectors. One rank, one thread.
// One line of JSON: pairs per second of both, the medians of interleaved runs, and their ratio.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../benchmark_main.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/trees/tree_reader.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "plain_kernels.hpp"

namespace {

using namespace cairn;

constexpr double lambda = 0.4, mu = 0.4;

// Similarity of LEX labels: labels of the same part of speech are compared by the vectors of their words.
plain::LabelSimilarity words_of(const std::shared_ptr<const TreeLabels>& labels, double threshold) {
  plain::LabelSimilarity similarity;
  std::map<std::string_view, std::int32_t> speeches;
  auto vectors = std::make_shared<std::vector<std::vector<double>>>();
  for (std::int32_t k = 0; k < labels->size(); ++k) {
    const LexicalLabel lexical = lexical_label(labels->name(k));
    const auto next = static_cast<std::int32_t>(labels->size() + std::ssize(speeches));
    similarity.groups.push_back(lexical.word.empty() ? k : speeches.emplace(lexical.speech, next).first->second);
    std::vector<double>& vector = vectors->emplace_back();
    if (const std::int32_t row = labels->vector_of(k); row != TreeLabels::none) {
      const float* const values = labels->vectors()->vectors().row(row);
      vector.assign(values, values + labels->vectors()->dimension());
      double sum = 0;
      for (const double value : vector) sum += value * value;
      for (double& value : vector) value /= std::sqrt(sum);
    }
  }
  similarity.of = [vectors, threshold](std::int32_t a, std::int32_t b) {
    const std::vector<double>&x = (*vectors)[a], &y = (*vectors)[b];
    double sum = 0;
    for (std::size_t j = 0; j < std::min(x.size(), y.size()); ++j) sum += x[j] * y[j];
    return sum >= threshold ? sum : 0.0;
  };
  return similarity;
}

// Computes the values of all pairs, row by row.
template <class Kernel>
void compute_plain(Kernel& kernel, std::span<const plain::Tree> rows, std::span<const plain::Tree> columns,
                   std::vector<double>& values) {
  values.clear();
  for (const plain::Tree& row : rows) {
    for (const plain::Tree& column : columns) values.push_back(kernel(row, column));
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class Kernel>
nlohmann::json compare(const Similarity<double>& similarity, Kernel kernel, const TreeSet& trees,
                       const ObjectBlock& rows, const ObjectBlock& columns) {
  constexpr int repeats = 5;
  constexpr Index rows_of_tile = 16, most_plain_rows = 400;
  const auto &x = dynamic_cast<const TreeBlock&>(rows), &y = dynamic_cast<const TreeBlock&>(columns);
  plain::Productions productions;
  std::vector<plain::Tree> of_x, of_y;
  const Index plain_rows = std::min(rows.size(), most_plain_rows);
  for (Index a = 0; a < plain_rows; ++a) of_x.emplace_back(x.trees.tree(a), productions);
  for (Index b = 0; b < columns.size(); ++b) of_y.emplace_back(y.trees.tree(b), productions);
  std::vector<double> ours, peers, values(static_cast<std::size_t>(rows.size() * columns.size())), expected;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double start = MPI_Wtime();
    const auto fresh = trees.gather(Communicator(MPI_COMM_SELF), columns.ids);  // without prepared data
    for (Index begin = 0; begin < rows.size(); begin += rows_of_tile) {
      const auto tile =
          trees.block({rows.ids.front() + begin, rows.ids.front() + std::min(rows.size(), begin + rows_of_tile)});
      similarity.tile(*tile, *fresh, {values.data() + begin * columns.size(), tile->size(), columns.size()});
    }
    ours.push_back(static_cast<double>(rows.size() * columns.size()) / (MPI_Wtime() - start));
    start = MPI_Wtime();
    compute_plain(kernel, of_x, of_y, expected);
    peers.push_back(static_cast<double>(plain_rows * columns.size()) / (MPI_Wtime() - start));
  }
  double difference = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    difference = std::max(difference, std::abs(expected[k] - values[k]) / std::max(1.0, std::abs(expected[k])));
  }
  return {{"pairs_a_second", median(ours)},
          {"plain_pairs_a_second", median(peers)},
          {"ratio", median(ours) / median(peers)},
          {"largest_relative_difference", difference}};
}

nlohmann::json run(const Communicator& world, const std::vector<std::string>& arguments) {
  const std::string& name = arguments[0];
  TreeSource source{.path = arguments[1], .tree = arguments[2]};
  if (arguments.size() > 5) source.vectors.path = arguments[5];
  const auto read = read_trees(world, source);
  const TreeSet& trees = *read.trees;
  const Index count = std::min(std::atoll(arguments[3].c_str()), static_cast<long long>(trees.size()));
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 0};
  SimilarityChoice choice(name);
  choice.set("normalize", "false");
  const auto similarity = make_similarity<double>(execution, choice, trees);
  const auto columns = trees.gather(
      world, sample_without_replacement(trees.size(), std::atoll(arguments[4].c_str()), Random(1, Stream::test)));
  const auto rows = trees.block({0, count});
  nlohmann::json line;
  if (name == "stk" || name == "sstk") {
    line = compare(*similarity, plain::ProductionKernel(lambda, name == "stk" ? 0 : 1, true), trees, *rows, *columns);
  } else {
    const auto similar = name == "ptk" ? plain::LabelSimilarity() : words_of(trees.tree_labels(), 0.01);
    line = compare(*similarity, plain::PartialKernel(lambda, mu, 1.0, similar), trees, *rows, *columns);
  }
  line["kernel"] = name;
  line["nodes_a_tree"] = static_cast<double>(read.report.nodes) / static_cast<double>(trees.size());
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return cairn::bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    if (argc < 6 || world.size() != 1) {
      throw Error(ErrorKind::usage, "bench_tree_kernels KERNEL FILE TREE ROWS COLUMNS [VECTORS], on one rank");
    }
    return run(world, {argv + 1, argv + argc});
  });
}
