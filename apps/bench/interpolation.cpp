// Columns of P on a graph: `local` compared with the method of the paper's authors, on the same landmarks and ranks:
// one line of JSON.
//
//   bench_interpolation GRAPH LANDMARKS P_ROW [BLOCKS [SOLVER [TOLERANCE]]]
//   bench_interpolation scaling [N ...]
//
// GRAPH: a file, or grid:N.
//
// Authors' method: each rank has a CHOLMOD factor of M_uu, solves dense blocks of 64 right-hand sides and selects the p
// largest entries of each column; `BLOCKS` blocks per rank are timed, after one warm-up block, and scaled to all.
// Supernodal and simplicial factors are both tried, and the faster one counts. The times exclude reading the graph.
//
// scaling: `local` on grids of N vertices with a fifth of their edges removed, 15 and 76 vertices per landmark, the
// last one also with 150, p-row 50; with DGEMM and triad on these ranks.
#include "cairn/approximation/biharmonic/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/operator/operator_view.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/operator/graph_operator.hpp"
#include "dense_solves.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;
using bench::DenseSolves;

// Relative 2-norms of the differences between reference columns (the same on every rank) and those of P.
std::vector<double> differences(const Communicator& world, const SparseRows<double>& p, Index first,
                                const std::vector<DenseSolves::Column>& reference) {
  std::vector<double> squares(2 * reference.size(), 0.0);
  std::vector<std::vector<std::pair<std::int32_t, double>>> ours(reference.size());
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto entries = p.row(row);
    for (auto at = std::ranges::lower_bound(entries.columns, first); at != entries.columns.end(); ++at) {
      if (*at >= first + static_cast<Index>(reference.size())) break;
      const double value = entries.values[at - entries.columns.begin()];
      if (entries.columns.size() > 1 || value != 1.0) {  // not the landmark itself
        ours[*at - first].emplace_back(static_cast<std::int32_t>(row), value);
      }
    }
  }
  for (std::size_t k = 0; k < reference.size(); ++k) {
    auto mine = ours[k].begin();
    for (const auto& [v, value] : reference[k]) {
      if (!p.range().contains(v)) continue;
      for (; mine != ours[k].end() && mine->first < v; ++mine) squares[2 * k] += mine->second * mine->second;
      const bool both = mine != ours[k].end() && mine->first == v;
      const double difference = value - (both ? mine++->second : 0.0);
      squares[2 * k] += difference * difference;
      squares[2 * k + 1] += value * value;
    }
    for (; mine != ours[k].end(); ++mine) squares[2 * k] += mine->second * mine->second;
  }
  world.sum(std::span(squares));
  std::vector<double> relative;
  for (std::size_t k = 0; k < reference.size(); ++k) relative.push_back(std::sqrt(squares[2 * k] / squares[2 * k + 1]));
  return relative;
}

// Distributes the columns that a rank has solved for to all ranks.
std::vector<DenseSolves::Column> from_rank(const Communicator& world, int rank,
                                           const std::vector<DenseSolves::Column>& mine) {
  std::vector<Index> sizes;
  std::vector<std::int32_t> vertices;
  std::vector<double> values;
  if (world.rank() == rank) {
    for (const auto& column : mine) {
      sizes.push_back(static_cast<Index>(column.size()));
      for (const auto& [v, value] : column) vertices.push_back(v), values.push_back(value);
    }
  }
  world.broadcast(sizes, rank);
  world.broadcast(vertices, rank);
  world.broadcast(values, rank);
  std::vector<DenseSolves::Column> columns;
  std::size_t next = 0;
  for (const Index size : sizes) {
    auto& column = columns.emplace_back();
    for (Index i = 0; i < size; ++i, ++next) column.emplace_back(vertices[next], values[next]);
  }
  return columns;
}

// The graph of a file or of grid:N, and its operator.
struct Problem {
  Problem(const Communicator& world, const std::string& path) : op(graph_operator(world, read(world, path))) {}
  static SharedGraph read(const Communicator& world, const std::string& path) {
    GraphSource source;
    if (path.starts_with("grid:")) {
      source.generator = "grid";
      source.points = std::atoll(path.c_str() + 5);
    } else {
      source.path = path;
    }
    source.weighted = false;
    source.largest_component = true;
    return read_graph(world, source).share(world);
  }
  [[nodiscard]] std::vector<Index> landmarks(Index count) const {
    return sample_without_replacement(op.size(), count, Random(1, Stream::landmarks));
  }
  BiharmonicOperator op;
};

// Computes P and measures the time.
SparseRows<double> measure(const Communicator& world, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                           const InterpolationParameters& parameters, nlohmann::json& line) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  const BlasThreads one(1);
  const auto count = static_cast<Index>(landmarks.size());
  InterpolationReport report;
  const bench::Stopwatch watch(world);
  SparseRows<double> p = interpolation(execution, op, landmarks, parameters, report);
  const double seconds = watch.seconds();
  line["peak_bytes"] = world.maximum(peak_resident_bytes());
  for (const PhaseSummary& phase : phases.summarize(world)) line["phases"][phase.name] = phase.seconds;
  line["vertices"] = op.size();
  line["landmarks"] = count;
  line["p_row"] = parameters.p_row;
  line["ranks"] = world.size();
  line["solver"] = report.solver;
  line["seconds"] = seconds;
  line["milliseconds_a_landmark_and_rank"] = 1e3 * seconds * world.size() / static_cast<double>(count);
  line["entries"] = world.sum(p.own_entries());
  line["row_sum_error"] = report.largest_row_sum_error.value();
  line["condition"] = report.condition_estimate;
  line["edge_bound"] = report.edge_bound;
  line["dropped_norm"] = report.dropped_norm;
  line["patches"] = report.patches;
  return p;
}

// Measurements of the authors' method on this rank's blocks.
struct TheirRun {
  double factor_seconds = 0.0, block_seconds = 0.0, entries = 0.0;
  std::vector<DenseSolves::Column> columns;
};

TheirRun run_dense(const Communicator& world, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                   Index kept, Index blocks, bool supernodal) {
  TheirRun run;
  const bench::Stopwatch factoring(world);
  DenseSolves dense(OperatorView(op), landmarks, supernodal);
  run.factor_seconds = factoring.seconds();
  run.entries = dense.entries();
  const Index first = world.rank() * blocks * DenseSolves::block;
  static_cast<void>(dense.solve(first, kept));  // first use of its workspaces
  const bench::Stopwatch solving(world);
  for (Index b = 0; b < blocks; ++b) {
    for (auto& column : dense.solve(first + b * DenseSolves::block, kept)) run.columns.push_back(std::move(column));
  }
  run.block_seconds = solving.seconds() / static_cast<double>(blocks);
  return run;
}

// Tries both factor types of CHOLMOD; the faster one counts.
void compare(const Communicator& world, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
             const SparseRows<double>& p, Index blocks, nlohmann::json& line) {
  const auto count = static_cast<Index>(landmarks.size());
  const Index kept = static_cast<Index>(
      std::lround(static_cast<double>(op.size() - count) * line["p_row"].get<double>() / static_cast<double>(count)));
  const TheirRun supernodal = run_dense(world, op, landmarks, kept, blocks, true);
  const TheirRun simplicial = run_dense(world, op, landmarks, kept, blocks, false);
  const auto seconds = [&](const TheirRun& run) {
    return run.factor_seconds +
           run.block_seconds * static_cast<double>(count) / static_cast<double>(DenseSolves::block * world.size());
  };
  const TheirRun& best = seconds(supernodal) < seconds(simplicial) ? supernodal : simplicial;
  std::vector<double> relative;
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto reference = from_rank(world, rank, best.columns);
    const auto some = differences(world, p, rank * blocks * DenseSolves::block, reference);
    relative.insert(relative.end(), some.begin(), some.end());
  }
  std::ranges::sort(relative);
  line["their_supernodal_seconds"] = seconds(supernodal);
  line["their_simplicial_seconds"] = seconds(simplicial);
  line["their_factor_seconds"] = best.factor_seconds;
  line["their_factor_entries"] = best.entries;
  line["their_milliseconds_a_landmark_and_rank"] = 1e3 * best.block_seconds / DenseSolves::block;
  line["their_seconds"] = seconds(best);
  line["ratio"] = seconds(best) / line["seconds"].get<double>();
  line["difference_median"] = relative[relative.size() / 2];
  line["difference_99"] = relative[relative.size() * 99 / 100];
  line["difference_largest"] = relative.back();
}

// Measures grids at two ratios n / l, and the largest one at a third ratio: the cost of a landmark, and the cost of all
// of P.
nlohmann::json scale(const Communicator& world, const std::vector<Index>& sizes,
                     const InterpolationParameters& parameters) {
  nlohmann::json line;
  line["ranks"] = world.size();
  line["gemm_gflops"] = bench::gemm_gflops(world);
  line["triad_gigabytes"] = bench::triad_gigabytes(world);
  for (const Index size : sizes) {
    const Problem grid(world, "grid:" + std::to_string(size));
    for (const Index ratio : {15, 76, 150}) {
      if (ratio == 150 && size != sizes.back()) continue;
      nlohmann::json entry;
      static_cast<void>(measure(world, grid.op, grid.landmarks(grid.op.size() / ratio), parameters, entry));
      entry["vertices_a_landmark"] = ratio;
      line["cases"].push_back(entry);
    }
  }
  return line;
}

nlohmann::json run(const Communicator& world, const std::string& path, const InterpolationParameters& parameters,
                   Index count, Index blocks) {
  const Problem problem(world, path);
  const auto landmarks = problem.landmarks(count);
  nlohmann::json line;
  const auto p = measure(world, problem.op, landmarks, parameters, line);
  if (blocks > 0) compare(world, problem.op, landmarks, p, blocks, line);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "grid:250000";
  cairn::InterpolationParameters parameters;
  parameters.solver = "local";
  if (path == "scaling") {
    std::vector<cairn::Index> sizes;
    for (int k = 2; k < argc; ++k) sizes.push_back(std::atoll(argv[k]));
    if (sizes.empty()) sizes = {100'000, 300'000, 1'000'000};
    return cairn::bench::run_benchmark(
        argc, argv, [&](const cairn::Communicator& world) { return scale(world, sizes, parameters); });
  }
  const cairn::Index landmarks = argc > 2 ? std::atoll(argv[2]) : 5000;
  parameters.p_row = argc > 3 ? std::atoll(argv[3]) : 50;
  const cairn::Index blocks = argc > 4 ? std::atoll(argv[4]) : 1;
  if (argc > 5) parameters.solver = argv[5];
  if (argc > 6) parameters.tolerance = std::atof(argv[6]);
  return cairn::bench::run_benchmark(
      argc, argv, [&](const cairn::Communicator& world) { return run(world, path, parameters, landmarks, blocks); });
}
