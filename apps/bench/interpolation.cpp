// Columns of P on a graph: `local` against the way of the paper's authors, on the same landmarks and ranks: one line of
// JSON.
//
//   bench_interpolation GRAPH LANDMARKS P_ROW [BLOCKS [SOLVER [TOLERANCE]]]
//
// GRAPH: a file, or grid:N.
//
// Theirs: each rank has a CHOLMOD factor of M_uu, solves dense blocks of 64 right-hand sides and selects the p largest
// of each column; `BLOCKS` blocks a rank are timed and scaled to all. Neither side's time counts reading the graph.
#include "approximation/interpolation.hpp"

#include <cholmod.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "approximation/operator_view.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "benchmark_main.hpp"
#include "data/graph.hpp"
#include "linalg/blas_threads.hpp"
#include "operator/graph_operator.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

constexpr Index block = 64;

// The authors' way on this rank, with nothing of Cairn's but the assembly of M.
class DenseSolves {
 public:
  DenseSolves(const OperatorView& op, const std::vector<Index>& landmarks) : op_(op), landmarks_(landmarks) {
    position_.assign(static_cast<std::size_t>(op.size), 0);
    for (const Index v : landmarks) position_[static_cast<std::size_t>(v)] = -1;
    for (std::size_t v = 0; v < position_.size(); ++v) {
      if (position_[v] < 0) continue;
      position_[v] = static_cast<std::int32_t>(vertices_.size());
      vertices_.push_back(static_cast<std::int32_t>(v));
    }
    auto matrix = principal_submatrix<std::int64_t>(op, vertices_, position_.data());
    cholmod_l_start(&common_);
    cholmod_sparse view{};
    view.nrow = view.ncol = vertices_.size();
    view.nzmax = matrix.rows.size();
    view.p = matrix.starts.data(), view.i = matrix.rows.data(), view.x = matrix.values.data();
    view.stype = -1, view.itype = CHOLMOD_LONG, view.xtype = CHOLMOD_REAL, view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    factor_ = cholmod_l_analyze(&view, &common_);
    entries_ = common_.lnz;
    cholmod_l_factorize(&view, factor_, &common_);
    if (common_.status != CHOLMOD_OK) throw Error(ErrorKind::numeric, "CHOLMOD failed");
    right_ = cholmod_l_zeros(vertices_.size(), block, CHOLMOD_REAL, &common_);
  }
  ~DenseSolves() {
    for (cholmod_dense** dense : {&right_, &solution_, &work_, &extra_}) cholmod_l_free_dense(dense, &common_);
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_finish(&common_);
  }
  DenseSolves(const DenseSolves&) = delete;
  DenseSolves& operator=(const DenseSolves&) = delete;

  using Column = std::vector<std::pair<std::int32_t, double>>;

  // Columns of landmarks first .. first + 63.
  std::vector<Column> solve(Index first, Index kept) {
    auto* const b = static_cast<double*>(right_->x);
    const std::size_t rows = vertices_.size();
    std::fill_n(b, rows * block, 0.0);
    for (Index k = 0; k < block; ++k)
      column_of_m(landmarks_[static_cast<std::size_t>(first + k)], b + k * static_cast<Index>(rows));
    cholmod_l_solve2(CHOLMOD_A, factor_, right_, nullptr, &solution_, nullptr, &work_, &extra_, &common_);
    std::vector<Column> columns;
    std::vector<std::int32_t> order(rows);
    for (Index k = 0; k < block; ++k) {
      const double* const x = static_cast<const double*>(solution_->x) + k * static_cast<Index>(rows);
      std::iota(order.begin(), order.end(), 0);
      std::nth_element(order.begin(), order.begin() + (kept - 1), order.end(),
                       [&](std::int32_t i, std::int32_t j) { return std::abs(x[i]) > std::abs(x[j]); });
      Column& column = columns.emplace_back();
      for (Index i = 0; i < kept; ++i) {
        const std::int32_t row = order[static_cast<std::size_t>(i)];
        column.emplace_back(vertices_[static_cast<std::size_t>(row)], x[row]);
      }
      std::ranges::sort(column);
    }
    return columns;
  }
  [[nodiscard]] double entries() const { return entries_; }

 private:
  // -M_ub e_k.
  void column_of_m(Index k, double* out) const {
    const auto add = [&](Index v, double value) {
      if (position_[static_cast<std::size_t>(v)] >= 0) out[position_[static_cast<std::size_t>(v)]] -= value;
    };
    const auto add_laplacian = [&](Index v, double value) {
      value *= op_.inverse_mass(v);
      add(v, value * op_.degrees[v]);
      for (Index a = op_.starts[v]; a < op_.starts[v + 1]; ++a) add(op_.neighbours[a], -value * op_.weight(a));
    };
    add_laplacian(k, op_.degrees[k]);
    for (Index a = op_.starts[k]; a < op_.starts[k + 1]; ++a) add_laplacian(op_.neighbours[a], -op_.weight(a));
  }

  OperatorView op_;
  const std::vector<Index>& landmarks_;
  std::vector<std::int32_t> position_, vertices_;
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *right_ = nullptr, *solution_ = nullptr, *work_ = nullptr, *extra_ = nullptr;
  double entries_ = 0.0;
};

// Relative 2-norms of the differences between reference columns (on every rank the same) and those of P.
std::vector<double> differences(const Communicator& world, const SparseRows<double>& p, Index first,
                                const std::vector<DenseSolves::Column>& reference) {
  std::vector<double> squares(2 * reference.size(), 0.0);
  std::vector<std::vector<std::pair<std::int32_t, double>>> ours(reference.size());
  for (Index row = p.range().begin; row < p.range().end; ++row) {
    const auto entries = p.row(row);
    for (auto at = std::ranges::lower_bound(entries.columns, first); at != entries.columns.end(); ++at) {
      if (*at >= first + static_cast<Index>(reference.size())) break;
      const double value = entries.values[static_cast<std::size_t>(at - entries.columns.begin())];
      if (entries.columns.size() > 1 || value != 1.0) {  // not the landmark itself
        ours[static_cast<std::size_t>(*at - first)].emplace_back(static_cast<std::int32_t>(row), value);
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

// The columns that a rank has solved for, on all ranks.
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

nlohmann::json run(const Communicator& world, const std::string& path, const InterpolationParameters& parameters,
                   Index count, Index blocks) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 1};
  const BlasThreads one(1);
  GraphSource source;
  if (path.starts_with("grid:")) {
    source.generator = "grid";
    source.points = std::atoll(path.c_str() + 5);
  } else {
    source.path = path;
  }
  source.weighted = false;
  source.largest_component = true;
  const Graph graph = read_graph(world, source);
  const SharedGraph shared = graph.share(world);
  const BiharmonicOperator op = graph_operator(world, shared);
  const Index n = op.size();
  const auto landmarks = sample_without_replacement(n, count, Random(1, Stream::landmarks));

  nlohmann::json line;
  InterpolationReport report;
  const bench::Stopwatch watch(world);
  const SparseRows<double> p = interpolation(execution, op, landmarks, parameters, report);
  const double ours = watch.seconds();
  line["peak_bytes"] = world.maximum(peak_resident_bytes());
  for (const PhaseSummary& phase : phases.summarize(world)) line["phases"][phase.name] = phase.seconds;
  line["vertices"] = n;
  line["landmarks"] = count;
  line["p_row"] = parameters.p_row;
  line["ranks"] = world.size();
  line["solver"] = report.solver;
  line["seconds"] = ours;
  line["milliseconds_a_landmark_and_rank"] = 1e3 * ours * world.size() / static_cast<double>(count);
  line["entries"] = world.sum(p.own_entries());
  line["row_sum_error"] = report.largest_row_sum_error;
  line["condition"] = report.condition_estimate;
  line["edge_bound"] = report.edge_bound;
  line["dropped_norm"] = report.dropped_norm;
  line["patches"] = report.patches;
  if (blocks == 0) return line;

  const Index kept = static_cast<Index>(
      std::lround(static_cast<double>(n - count) * static_cast<double>(parameters.p_row) / static_cast<double>(count)));
  const bench::Stopwatch factoring(world);
  DenseSolves theirs(OperatorView(op), landmarks);
  const double factor_seconds = factoring.seconds();
  std::vector<DenseSolves::Column> columns;
  const Index first = world.rank() * blocks * block;
  const bench::Stopwatch solving(world);
  for (Index b = 0; b < blocks; ++b) {
    for (auto& column : theirs.solve(first + b * block, kept)) columns.push_back(std::move(column));
  }
  const double solve_seconds = solving.seconds();
  std::vector<double> relative;
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto reference = from_rank(world, rank, columns);
    const auto some = differences(world, p, rank * blocks * block, reference);
    relative.insert(relative.end(), some.begin(), some.end());
  }
  std::ranges::sort(relative);
  const double all =
      factor_seconds + solve_seconds * static_cast<double>(count) / static_cast<double>(blocks * block * world.size());
  line["their_factor_seconds"] = factor_seconds;
  line["their_factor_entries"] = theirs.entries();
  line["their_seconds"] = all;
  line["ratio"] = all / ours;
  line["difference_median"] = relative[relative.size() / 2];
  line["difference_99"] = relative[relative.size() * 99 / 100];
  line["difference_largest"] = relative.back();
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "grid:250000";
  const Index landmarks = argc > 2 ? std::atoll(argv[2]) : 5000;
  cairn::InterpolationParameters parameters;
  parameters.p_row = argc > 3 ? std::atoll(argv[3]) : 50;
  const Index blocks = argc > 4 ? std::atoll(argv[4]) : 1;
  parameters.solver = argc > 5 ? argv[5] : "local";
  if (argc > 6) parameters.tolerance = std::atof(argv[6]);
  return cairn::bench::run_benchmark(
      argc, argv, [&](const cairn::Communicator& world) { return run(world, path, parameters, landmarks, blocks); });
}
