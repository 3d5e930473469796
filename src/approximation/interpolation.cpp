#include "approximation/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>

#include "approximation/interpolation_rows.hpp"
#include "approximation/landmark_regions.hpp"
#include "approximation/operator_view.hpp"
#include "approximation/solvers.hpp"
#include "base/buffer.hpp"
#include "base/collective_guard.hpp"
#include "base/error.hpp"
#include "base/schedule.hpp"
#include "linalg/blas_threads.hpp"

namespace cairn {

namespace {

constexpr double row_sum_limit = 1e-4;  // above it P is no interpolation
constexpr double largest_share = 0.5;   // of the vertices in a neighbourhood, for auto to take `local`

// A tile's columns as bytes, of a length that is known before they are computed: what a ledger keeps.
// Per landmark: norms and number of entries; then the tile's quality, all values, all vertices.
class TileBytes {
 public:
  TileBytes(std::span<std::byte> bytes, std::size_t columns, std::size_t kept)
      : heads_(reinterpret_cast<Head*>(bytes.data())),
        quality_(reinterpret_cast<ColumnSolver::Quality*>(heads_ + columns)),
        values_(reinterpret_cast<double*>(quality_ + 1)),
        vertices_(reinterpret_cast<std::int32_t*>(values_ + columns * kept)),
        kept_(kept) {}
  [[nodiscard]] static Index size(std::size_t columns, std::size_t kept) {
    return static_cast<Index>(columns * (sizeof(Head) + kept * (sizeof(double) + sizeof(std::int32_t))) +
                              sizeof(ColumnSolver::Quality));
  }

  void write(const std::vector<Index>& members, const ColumnSolver::TileColumns& tile) {
    *quality_ = tile.quality;
    for (const auto& column : tile.columns) {
      const auto k = static_cast<std::size_t>(std::ranges::find(members, column.landmark) - members.begin());
      heads_[k] = {column.dropped, column.all, static_cast<Index>(column.values.size())};
      std::ranges::copy(column.values, values_ + k * kept_);
      std::ranges::copy(column.vertices, vertices_ + k * kept_);
    }
  }
  [[nodiscard]] const ColumnSolver::Quality& quality() const { return *quality_; }
  [[nodiscard]] double dropped_share(std::size_t k) const {
    return heads_[k].all > 0.0 ? heads_[k].dropped / heads_[k].all : 0.0;
  }
  [[nodiscard]] ColumnView column(std::size_t k, Index landmark) const {
    const auto entries = static_cast<std::size_t>(heads_[k].entries);
    return {landmark, std::span(vertices_ + k * kept_, entries), std::span(values_ + k * kept_, entries)};
  }

 private:
  struct Head {
    double dropped, all;
    Index entries;
  };
  Head* heads_;
  ColumnSolver::Quality* quality_;
  double* values_;
  std::int32_t* vertices_;
  std::size_t kept_;
};

// What all columns together say about P.
struct Summary {
  double row_sum_error = 0.0, condition = 0.0, edge_bound = 0.0, factor_entries = 0.0;
  double dropped_shares = 0.0;  // sum over columns of (dropped / all)² in 2-norm
  Index restored = 0;           // tiles that a ledger had: their row sums are not known

  // Where the solver gave sums: what they add up to over all tiles.
  void check_sums(const Communicator& communicator, const std::vector<Index>& landmarks, Index vertices,
                  const std::vector<PartialRowSums>& sums) {
    if (restored > 0 || communicator.maximum(sums.empty() ? 0 : 1) == 0) return;
    row_sum_error = std::max(row_sum_error, cairn::row_sum_error(communicator, landmarks, vertices, sums));
  }

  void add(const ColumnSolver::Quality& quality) {
    row_sum_error = std::max(row_sum_error, quality.row_sum_error);
    condition = std::max(condition, quality.condition);
    edge_bound = std::max(edge_bound, quality.edge_bound);
    factor_entries = std::max(factor_entries, quality.factor_entries);
  }
  void combine(const Communicator& communicator) {
    double largest[] = {row_sum_error, condition, edge_bound, factor_entries};
    communicator.maximum(std::span<double>(largest));
    row_sum_error = largest[0], condition = largest[1], edge_bound = largest[2], factor_entries = largest[3];
    dropped_shares = communicator.sum(dropped_shares);
  }
};

// Tiles of landmarks; a tile belongs to the rank that it is first dealt to, which keeps its columns.
class ColumnTiles final : public TileWork {
 public:
  ColumnTiles(const Communicator& communicator, const ColumnSolver& solver, Index kept)
      : solver_(solver), kept_(kept), results_(solver.tiles().size()) {
    // In order, in shares of equal cost: neighbouring tiles on one rank.
    const auto& all = solver.tiles();
    Index total = 0, before = 0;
    for (const auto& tile : all) total += static_cast<Index>(tile.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
      const auto size = static_cast<Index>(all[t].size());
      if ((before + size / 2) * communicator.size() / total == communicator.rank()) {
        const auto id = static_cast<Index>(t);
        own_.push_back({.id = id, .rows = {id, id + 1}, .cost = static_cast<double>(size)});
        results_[t] = Buffer<std::byte>(result_bytes(own_.back()));
      }
      before += size;
    }
  }

  [[nodiscard]] const std::vector<Tile>& own() const { return own_; }
  [[nodiscard]] std::vector<std::byte> pack(const Tile& /*tile*/) const override { return {}; }
  [[nodiscard]] std::span<std::byte> result(const Tile& tile) override { return bytes(tile.id); }
  [[nodiscard]] Index result_bytes(const Tile& tile) const override {
    return TileBytes::size(members(tile.id).size(), static_cast<std::size_t>(kept_));
  }
  void compute(const Tile& tile, std::span<const std::byte> /*inputs*/, std::span<std::byte> result) const override {
    ColumnSolver::TileColumns columns = solver_.solve(tile.id, kept_);
    TileBytes(result, members(tile.id).size(), static_cast<std::size_t>(kept_)).write(members(tile.id), columns);
    if (columns.sums.empty()) return;
    const std::lock_guard lock(mutex_);
    sums_.push_back({std::move(columns.sum_vertices), std::move(columns.sums)});
  }
  // Of the tiles that this rank computed, whosever they are.
  [[nodiscard]] const std::vector<PartialRowSums>& sums() const { return sums_; }

  // This rank's columns, ascending by landmark.
  [[nodiscard]] std::vector<ColumnView> columns(Summary& summary) {
    std::vector<ColumnView> views;
    for (const Tile& tile : own_) {
      const TileBytes columns(bytes(tile.id), members(tile.id).size(), static_cast<std::size_t>(kept_));
      summary.add(columns.quality());
      for (std::size_t k = 0; k < members(tile.id).size(); ++k) {
        views.push_back(columns.column(k, members(tile.id)[k]));
        summary.dropped_shares += columns.dropped_share(k);
      }
    }
    std::ranges::sort(views, {}, &ColumnView::landmark);
    return views;
  }

 private:
  [[nodiscard]] const std::vector<Index>& members(Index tile) const {
    return solver_.tiles()[static_cast<std::size_t>(tile)];
  }
  [[nodiscard]] std::span<std::byte> bytes(Index tile) {
    Buffer<std::byte>& buffer = results_[static_cast<std::size_t>(tile)];
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
  }

  const ColumnSolver& solver_;
  Index kept_;
  std::vector<Tile> own_;
  std::vector<Buffer<std::byte>> results_;
  mutable std::mutex mutex_;
  mutable std::vector<PartialRowSums> sums_;
};

SparseRows<double> by_columns(const Execution& execution, const ColumnSolver& solver, Index vertices,
                              const std::vector<Index>& landmarks, Index kept, Summary& summary) {
  const Communicator& communicator = execution.communicator;
  const Index room = std::min(kept == 0 ? solver.column_size() : kept, solver.column_size());
  const auto work =
      collectively(communicator, [&] { return std::make_unique<ColumnTiles>(communicator, solver, room); });
  ColumnTiles& tiles = *work;
  {
    auto phase = execution.phases.enter("interpolation");
    const BlasThreads one(1);  // tiles are dealt to threads
    const Schedule schedule("interpolation", tiles.own(), static_cast<Index>(solver.tiles().size()));
    const TileStatistics statistics = schedule.run(execution, tiles);
    phase.count_busy(statistics.busy_seconds);
    summary.restored = communicator.sum(statistics.restored);
  }
  summary.check_sums(communicator, landmarks, vertices, tiles.sums());
  auto phase = execution.phases.enter("interpolation rows");
  return rows_of_columns(communicator, landmarks, vertices, tiles.columns(summary));
}

// Round by round, a tile a rank: entries go to the rows as they come, and no column is kept.
SparseRows<double> by_rows(const Execution& execution, const ColumnSolver& solver, Index vertices,
                           const std::vector<Index>& landmarks, Index kept, Summary& summary) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("interpolation");
  const BlasThreads one(1);
  LargestOfRows rows(communicator, vertices, kept);
  const auto tiles = static_cast<Index>(solver.tiles().size());
  std::vector<PartialRowSums> sums;
  for (Index first = 0; first < tiles; first += communicator.size()) {
    const Index tile = first + communicator.rank();
    const auto solved =
        collectively(communicator, [&] { return tile < tiles ? solver.solve(tile, 0) : ColumnSolver::TileColumns{}; });
    summary.add(solved.quality);
    rows.add(communicator, solved.columns);
    if (!solved.sums.empty()) sums.push_back({std::move(solved.sum_vertices), std::move(solved.sums)});
  }
  summary.check_sums(communicator, landmarks, vertices, sums);
  return std::move(rows).finish(communicator, landmarks);
}

void require_valid(const InterpolationParameters& parameters, Index vertices, const std::vector<Index>& landmarks) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorKind::usage, message); };
  if (landmarks.empty()) refuse("landmarks.count must be at least 1");
  if (parameters.p_row < 0) refuse("approximation.p-row must not be negative");
  if (!(parameters.tolerance > 0.0)) refuse("approximation.tolerance must be positive");
  if (parameters.sparsity != "columns" && parameters.sparsity != "rows") {
    refuse(fmt::format("approximation.sparsity is columns or rows, not {}", parameters.sparsity));
  }
  std::vector<Index> sorted = landmarks;
  std::ranges::sort(sorted);
  if (sorted.front() < 0 || sorted.back() >= vertices) {
    refuse(fmt::format("landmark {} is no vertex of a graph of {}", sorted.front() < 0 ? sorted.front() : sorted.back(),
                       vertices));
  }
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) refuse(fmt::format("landmark {} is given twice", *twice));
}

SparseRows<double> identity(const Communicator& communicator, Index vertices, const std::vector<Index>& landmarks) {
  return rows_of_columns(communicator, landmarks, vertices, {});
}

// Entries of a column to keep: p = (n - l) p_row / l, rounded to the nearest, at least 1; 0 where that is all.
Index kept_of_column(const InterpolationParameters& parameters, Index unknowns, Index landmarks) {
  if (parameters.p_row == 0 || parameters.p_row >= landmarks) return 0;
  const double kept = std::round(static_cast<double>(unknowns) * static_cast<double>(parameters.p_row) /
                                 static_cast<double>(landmarks));
  return std::max<Index>(1, static_cast<Index>(kept));
}

std::unique_ptr<ColumnSolver> make_solver(const Execution& execution, const BiharmonicOperator& op,
                                          const std::vector<Index>& landmarks,
                                          const InterpolationParameters& parameters, InterpolationReport& report) {
  auto phase = execution.phases.enter("interpolation solver");
  report.solver = parameters.solver;
  if (parameters.solver == "auto") {
    // Columns are looked for among 2 p_row landmarks' worth of vertices at first.
    const double share =
        parameters.p_row == 0
            ? 1.0
            : std::min(1.0, 2.0 * static_cast<double>(parameters.p_row) / static_cast<double>(landmarks.size()));
    report.solver = share <= largest_share ? "local" : "direct";
    report.reason = fmt::format("a landmark's neighbourhood has {:.2g} % of the vertices{}", 100.0 * share,
                                share <= largest_share ? "" : ", so that whole columns cost no more");
  }
  if (report.solver == "direct") return make_direct_solver(execution, op, landmarks, parameters);
  if (report.solver == "local") return make_local_solver(execution, op, landmarks, parameters);
  throw Error(ErrorKind::usage,
              fmt::format("approximation.solver is direct, local or auto, not {}", parameters.solver));
}

void require_row_sums(const InterpolationParameters& parameters, const InterpolationReport& report) {
  const bool local = report.solver == "local";
  const double limit = local ? std::max(row_sum_limit, 100.0 * parameters.tolerance) : row_sum_limit;
  if (report.largest_row_sum_error <= limit) return;
  throw Error(ErrorKind::numeric,
              fmt::format("rows of P sum to 1 within {:.1e} only (condition of M about {:.1e}); take {}",
                          report.largest_row_sum_error, report.condition_estimate,
                          local ? "a smaller approximation.tolerance or more landmarks" : "more landmarks"));
}

}  // namespace

SparseRows<double> interpolation(const Execution& execution, const BiharmonicOperator& op,
                                 const std::vector<Index>& landmarks, const InterpolationParameters& parameters,
                                 InterpolationReport& report) {
  const Communicator& communicator = execution.communicator;
  const auto l = static_cast<Index>(landmarks.size());
  const Index n = op.size();
  require_valid(parameters, n, landmarks);
  report = {};
  if (l == n) {
    report.solver = "none";
    report.reason = "every vertex is a landmark: P is the identity";
    return identity(communicator, n, landmarks);
  }
  collectively(communicator, [&] {
    if (communicator.is_root()) static_cast<void>(nearest_landmarks(OperatorView(op), landmarks));
  });
  const Index kept = kept_of_column(parameters, n - l, l);
  if (kept == 0 && parameters.p_row > 0) {
    report.warnings.push_back(fmt::format("p-row = {} is all of {} landmarks: P is dense", parameters.p_row, l));
  }
  const auto solver = make_solver(execution, op, landmarks, parameters, report);
  Summary summary;
  const bool rows = kept > 0 && parameters.sparsity == "rows";
  SparseRows<double> p = rows ? by_rows(execution, *solver, n, landmarks, parameters.p_row, summary)
                              : by_columns(execution, *solver, n, landmarks, kept, summary);
  summary.combine(communicator);
  report.largest_row_sum_error = kept == 0 ? row_sum_error(communicator, p) : summary.row_sum_error;
  report.condition_estimate = summary.condition;
  if (report.solver == "local") report.patches = static_cast<Index>(solver->tiles().size());
  report.edge_bound = summary.edge_bound;
  report.factor_entries = static_cast<Index>(summary.factor_entries);
  report.dropped_norm = std::sqrt(summary.dropped_shares / static_cast<double>(l));
  require_row_sums(parameters, report);
  if (parameters.normalize && kept > 0) {
    if (const Index left = normalize_rows(communicator, p); left > 0) {
      report.warnings.push_back(fmt::format("{} rows of P are zero and were not normalized", left));
    }
  }
  return p;
}

}  // namespace cairn
