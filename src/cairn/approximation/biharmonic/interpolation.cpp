#include "cairn/approximation/biharmonic/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/column_tiles.hpp"
#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

namespace {

// P with the largest entries of every row, computed from whole columns that are not stored.

// The columns gathered so far.
struct Gathered {
  LargestOfRows rows;
  RowSums sums;
  std::vector<double> solved;  // by tile: 1 if this rank or an earlier run has added it
};

// Checkpoints in a ledger: the rows, the sums, and last, in a loop of its own, an entry with the list of solved tiles
// and their quality. Its index there is the number of solved tiles. A state with this entry is complete.
class KeptStates {
 public:
  KeptStates(const Execution& execution, std::string loop, Index tiles)
      : ledger_(execution.ledger), communicator_(execution.communicator), loop_(std::move(loop)), tiles_(tiles) {}

  /// Restores the newest complete state, if there is one. Collective.
  void restore(Gathered& gathered, ColumnTiling::Quality& quality);
  /// Stores a state if a checkpoint is due. Collective.
  void keep_where_due(Gathered& gathered, const ColumnSummary& summary);

 private:
  // The names contain the set of solved tiles: it depends on the number of ranks, not only on the count.
  [[nodiscard]] std::string rows_name(const std::vector<double>& solved) const { return named("P by rows", solved); }
  [[nodiscard]] std::string sums_name(const std::vector<double>& solved) const {
    return named("sums of P's rows", solved);
  }
  [[nodiscard]] std::string named(const char* what, const std::vector<double>& solved) const {
    const auto count = std::accumulate(solved.begin(), solved.end(), 0.0);
    return fmt::format("{} at {} ({}, {:08x})", what, count, loop_,
                       static_cast<std::uint32_t>(hash_bytes(std::as_bytes(std::span(solved)), 7)));
  }
  [[nodiscard]] std::string states() const { return fmt::format("states of P by rows ({})", loop_); }
  [[nodiscard]] std::size_t head_bytes() const {
    return static_cast<std::size_t>(tiles_) * sizeof(double) + sizeof(ColumnTiling::Quality);
  }
  [[nodiscard]] std::vector<Range> own_units(const LargestOfRows& rows) const;
  [[nodiscard]] bool restore_rows(Gathered& gathered);
  void keep_all(const std::vector<double>& solved, Gathered& gathered);

  TileLedger& ledger_;
  const Communicator& communicator_;
  std::string loop_;
  Index tiles_;
  Index kept_ = 0;  // number of the newest state
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

std::vector<Range> KeptStates::own_units(const LargestOfRows& rows) const {
  const Index unit = RowPartition::unit(rows.partition().rows());
  std::vector<Range> units;
  for (Index begin = rows.range().begin; begin < rows.range().end; begin += unit) {
    units.push_back({begin, std::min(begin + unit, rows.range().end)});
  }
  return units;
}

void KeptStates::restore(Gathered& gathered, ColumnTiling::Quality& quality) {
  for (Index solved = tiles_; solved > 0; --solved) {
    std::vector<std::byte> head;
    collectively(communicator_, [&] {
      if (!communicator_.is_root()) return;
      ledger_.begin(states().c_str(), tiles_);
      head.resize(head_bytes());
      while (solved > 0 && !ledger_.get(solved, head)) --solved;
    });
    communicator_.broadcast(std::span(&solved, 1), 0);
    if (solved == 0) return;
    communicator_.broadcast(head, 0);
    std::memcpy(gathered.solved.data(), head.data(), gathered.solved.size() * sizeof(double));
    if (restore_rows(gathered)) {
      std::memcpy(&quality, head.data() + gathered.solved.size() * sizeof(double), sizeof quality);
      kept_ = solved;
      return;
    }
    gathered.rows.clear();
    gathered.sums = RowSums(communicator_, gathered.sums.vertices());
    std::ranges::fill(gathered.solved, 0.0);
  }
}

// @return whether the state is complete on all ranks
bool KeptStates::restore_rows(Gathered& gathered) {
  const bool whole = collectively(communicator_, [&] {
    bool found = true;
    const Index unit = RowPartition::unit(gathered.sums.vertices()), vertices = gathered.sums.vertices();
    ledger_.begin(rows_name(gathered.solved).c_str(), (vertices + unit - 1) / unit);
    for (const Range& rows : own_units(gathered.rows)) {
      std::vector<std::byte> bytes(gathered.rows.packed_bytes(rows));
      found = found && ledger_.get(rows.begin / unit, bytes);
      if (found) gathered.rows.unpack(rows, bytes);
    }
    if (!communicator_.is_root()) return found;
    ledger_.begin(sums_name(gathered.solved).c_str(), (vertices + RowSums::piece - 1) / RowSums::piece);
    for (Index begin = 0; found && begin < vertices; begin += RowSums::piece) {
      std::vector<double> values(std::min(RowSums::piece, vertices - begin));
      std::vector<std::int32_t> ids(values.size());
      std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(begin));
      found = ledger_.get(begin / RowSums::piece, std::as_writable_bytes(std::span(values)));
      if (found) gathered.sums.add(ids, values);
    }
    return found;
  });
  return communicator_.maximum(whole ? 0 : 1) == 0;
}

void KeptStates::keep_all(const std::vector<double>& solved, Gathered& gathered) {
  const Index unit = RowPartition::unit(gathered.sums.vertices()), vertices = gathered.sums.vertices();
  collectively(communicator_, [&] {
    ledger_.begin(rows_name(solved).c_str(), (vertices + unit - 1) / unit);
    for (const Range& rows : own_units(gathered.rows)) ledger_.keep(rows.begin / unit, gathered.rows.pack(rows));
    ledger_.begin(sums_name(solved).c_str(), (vertices + RowSums::piece - 1) / RowSums::piece);
  });
  std::optional<Error> error;
  gathered.sums.for_each_piece(communicator_, [&](Index begin, std::span<const double> sums) {
    try {
      if (communicator_.is_root() && !error) ledger_.keep(begin / RowSums::piece, std::as_bytes(sums));
    } catch (...) {
      error = current_error();
    }
  });
  agree(communicator_, error);
}

void KeptStates::keep_where_due(Gathered& gathered, const ColumnSummary& summary) {
  const double begun = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  if (communicator_.maximum(ledger_.due(begun) ? 1 : 0) == 0) return;
  std::vector<double> solved = gathered.solved;
  communicator_.maximum(std::span(solved));
  const auto count = static_cast<Index>(std::accumulate(solved.begin(), solved.end(), 0.0));
  if (count > kept_) {
    keep_all(solved, gathered);
    ColumnSummary all = summary;
    all.combine(communicator_);
    collectively(communicator_, [&] {
      ledger_.begin(states().c_str(), tiles_);
      if (!communicator_.is_root()) return;
      std::vector<std::byte> head(head_bytes());
      std::memcpy(head.data(), solved.data(), solved.size() * sizeof(double));
      std::memcpy(head.data() + solved.size() * sizeof(double), &all.quality, sizeof all.quality);
      ledger_.keep(count, head);
    });
    kept_ = count;
  }
  collectively(communicator_, [&] { ledger_.settle(); });
}

// P with the `kept` entries of largest magnitude in each row, e_k at the landmarks if `unit_rows`. Each round computes
// one tile per rank (with a joint solver one tile by all ranks, each holding its own rows), and entries go to the rows
// as they arrive. No row is finished before the last tile; the rows so far are therefore checkpointed in
// execution.ledger as a whole, when due.
// @param loop  name in the ledger, with the solver and its tiles @param summary  of all columns, except dropped_shares.
// Collective. Memory: 20 bytes per entry of own rows at the end, and a tile.
SparseRows<double> interpolation_by_rows(const Execution& execution, const ChosenSolver& solver,
                                         const std::vector<Index>& landmarks, bool unit_rows, Index vertices,
                                         Index kept, const std::string& loop, ColumnSummary& summary) {
  const Communicator& communicator = execution.communicator;
  auto phase = execution.phases.enter("interpolation");
  const BlasThreads blas(solver.own ? 1 : execution.threads);  // own tiles are assigned to threads
  const auto tiles = static_cast<Index>(solver.tiling().tiles().size());
  Gathered gathered{LargestOfRows(communicator, vertices, kept), RowSums(communicator, vertices),
                    std::vector<double>(static_cast<std::size_t>(tiles))};
  KeptStates states(execution, loop, tiles);
  states.restore(gathered, summary.quality);
  std::vector<Index> left;
  for (Index tile = 0; tile < tiles; ++tile) {
    if (gathered.solved[tile] == 0.0) left.push_back(tile);
  }
  // A range of tiles per rank: data that a solver makes for one tile may serve the next.
  const auto all = static_cast<Index>(left.size());
  const Range own = solver.own ? RowPartition(all, communicator.size()).range(communicator.rank()) : Range{0, all};
  const Index rounds = communicator.maximum(own.size());
  if (solver.joint && !left.empty()) solver.joint->prepare();
  Progress progress("interpolation", rounds, communicator.is_root(), "tiles/s a rank");
  for (Index round = 0; round < rounds; ++round) {
    const bool busy = own.begin + round < own.end;
    const Index tile = busy ? left[own.begin + round] : 0;
    const auto columns =
        solver.own
            ? collectively(communicator,
                           [&] { return busy ? solver.own->solve(tile, 0) : ColumnTiling::TileColumns{}; })
            : solver.joint->solve_own_rows(tile, [&](const ColumnView& column) { gathered.rows.add_own(column); });
    if (solver.own) gathered.rows.add(communicator, columns.columns);
    collectively(communicator, [&] {
      summary.quality.include(columns.quality);
      gathered.sums.add(columns.sum_vertices, columns.sums);
      if (busy) gathered.solved[tile] = 1.0;
    });
    states.keep_where_due(gathered, summary);
    progress.advance(1);
  }
  std::vector<Index> unit = unit_rows ? landmarks : std::vector<Index>{};
  summary.row_sum_error = gathered.sums.largest_error(communicator, unit);
  solver.tiling().release();
  return std::move(gathered.rows).finish(communicator, landmarks, unit_rows);
}

constexpr double row_sum_limit = 1e-4;  // above it P does not interpolate

// Landmarks with unit rows: all if they are hard.
struct Rows {
  Index vertices;
  const std::vector<Index>& landmarks;
  bool unit_rows;

  [[nodiscard]] std::vector<Index> unit() const { return unit_rows ? landmarks : std::vector<Index>{}; }
};

SparseRows<double> by_columns(const Execution& execution, const std::string& loop, const ChosenSolver& solver,
                              const Rows& rows, Index kept, ColumnSummary& summary) {
  const Communicator& communicator = execution.communicator;
  const Index most = solver.tiling().column_size();
  const auto store = collectively(communicator, [&] {
    return std::make_unique<ColumnStore>(communicator, solver.tiling(), std::min(kept == 0 ? most : kept, most));
  });
  RowSums sums(communicator, rows.vertices);
  const Index restored = solver.own ? solve_tiles(execution, loop, *solver.own, *store, sums)
                                    : solve_tiles(execution, loop, *solver.joint, *store, sums);
  solver.tiling().release();
  if (restored == 0) summary.row_sum_error = sums.largest_error(communicator, rows.unit());
  auto phase = execution.phases.enter("interpolation rows");
  return rows_of_columns(communicator, rows.landmarks, rows.unit_rows, rows.vertices, store->columns(summary));
}

void require_valid(const InterpolationParameters& parameters, Index vertices, const std::vector<Index>& landmarks) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorKind::usage, message); };
  if (landmarks.empty()) refuse("P needs at least 1 landmark");
  if (parameters.p_row < 0) refuse("parameter p-row must not be negative");
  if (!(parameters.tolerance > 0.0)) refuse("parameter tolerance must be positive");
  if (parameters.sparsity != "columns" && parameters.sparsity != "rows") {
    refuse(fmt::format("parameter sparsity is columns or rows, not {}", parameters.sparsity));
  }
  const auto is_one_of = [](const std::string& name, std::initializer_list<const char*> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!is_one_of(parameters.solver, {"auto", "direct", "local", "petsc"})) {
    refuse(fmt::format("parameter solver is direct, local, petsc or auto, not {}", parameters.solver));
  }
  if (!is_one_of(parameters.preconditioner, {"gamg", "hypre"})) {
    refuse(fmt::format("parameter preconditioner is gamg or hypre, not {}", parameters.preconditioner));
  }
  if (!(parameters.soft_landmarks >= 0.0) || !std::isfinite(parameters.soft_landmarks)) {
    refuse("parameter soft-landmarks is a penalty above 0");
  }
  if (parameters.soft_landmarks > 0.0 && parameters.solver == "local") {
    refuse(
        "parameter solver = local takes a column to end at other landmarks, which soft landmarks do not; take "
        "direct or petsc");
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
  return rows_of_columns(communicator, landmarks, true, vertices, {});
}

// Advice for a component without landmark.
std::string advice_of(const BiharmonicOperator& op) {
  return op.kind == "neighbours" ? "take more landmarks, or more neighbors of a point (neighbours)"
                                 : "take more landmarks, or only the largest component (largest-component)";
}

// Number of entries of a column to keep: p = (n - l) p_row / l (n instead of n - l if landmarks are soft), rounded to
// the nearest, at least 1; 0 if that is all.
Index kept_of_column(const InterpolationParameters& parameters, Index unknowns, Index landmarks) {
  if (parameters.dense(landmarks)) return 0;
  const double kept = std::round(static_cast<double>(unknowns) * static_cast<double>(parameters.p_row) /
                                 static_cast<double>(landmarks));
  return std::max<Index>(1, static_cast<Index>(kept));
}

// Name in the ledger. It identifies solver and tiles, because `auto` may choose others if more or less memory is
// available.
std::string loop_name(const std::string& solver, const ColumnTiling& tiling) {
  std::uint64_t digest = 0;
  for (const std::vector<Index>& tile : tiling.tiles()) digest = hash_bytes(std::as_bytes(std::span(tile)), digest);
  return fmt::format("interpolation {} {:08x}", solver, static_cast<std::uint32_t>(digest));
}

void require_row_sums(const InterpolationParameters& parameters, const InterpolationReport& report) {
  const bool local = report.solver == "local", petsc = report.solver == "petsc";
  const double limit = local ? std::max(row_sum_limit, 100.0 * parameters.tolerance) : row_sum_limit;
  if (!report.largest_row_sum_error || *report.largest_row_sum_error <= limit) return;
  throw Error(ErrorKind::numeric,
              fmt::format("rows of P sum to 1 within {:.1e} only (condition of {} about {:.1e}); take {}",
                          *report.largest_row_sum_error, local ? "M" : "V - A", report.condition_estimate,
                          local || petsc ? "a smaller tolerance or more landmarks" : "more landmarks"));
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
  const bool hard = parameters.soft_landmarks == 0.0;
  if (l == n && hard) {
    report.solver = "none";
    report.reason = "every vertex is a landmark: P is the identity";
    report.largest_row_sum_error = 0.0;
    return identity(communicator, n, landmarks);
  }
  collectively(communicator, [&] {
    if (communicator.is_root()) static_cast<void>(nearest_landmarks(OperatorView(op), landmarks, advice_of(op)));
  });
  const Index kept = kept_of_column(parameters, hard ? n - l : n, l);
  if (kept == 0 && parameters.p_row > 0) {
    report.notes.push_back(fmt::format("p-row = {} is all of {} landmarks: P is dense", parameters.p_row, l));
  }
  const ChosenSolver solver = make_solver(execution, op, landmarks, parameters, report);
  const std::string loop = loop_name(report.solver, solver.tiling());
  ColumnSummary summary;
  const Rows shape{n, landmarks, hard};
  // No rank collects a whole column unless it has computed that column by itself.
  const bool rows = parameters.whole_columns(l) && (solver.joint || kept > 0);
  SparseRows<double> p = rows ? interpolation_by_rows(execution, solver, landmarks, hard, n,
                                                      kept == 0 ? l : parameters.p_row, loop, summary)
                              : by_columns(execution, loop, solver, shape, kept, summary);
  summary.combine(communicator);
  report.largest_row_sum_error = kept == 0 ? std::optional(row_sum_error(communicator, p)) : summary.row_sum_error;
  report.condition_estimate = summary.quality.condition;
  report.patches = solver.tiling().patches();
  if (solver.joint) solver.joint->describe(report);
  report.edge_bound = summary.quality.edge_bound;
  report.factor_entries = static_cast<Index>(summary.quality.factor_entries);
  report.dropped_norm = std::sqrt(summary.dropped_shares / static_cast<double>(l));
  require_row_sums(parameters, report);
  if (kept == 0) {  // they differ from 1 by the error of the solves
    static_cast<void>(normalize_rows(communicator, p));
  } else if (parameters.normalize) {
    if (const Index left = normalize_rows(communicator, p); left > 0) {
      report.notes.push_back(
          fmt::format("{} rows of P sum to less than {} and were not divided by that", left, least_row_sum));
    }
  }
  return p;
}

}  // namespace cairn
