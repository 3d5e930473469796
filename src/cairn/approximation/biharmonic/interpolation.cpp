#include "cairn/approximation/biharmonic/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cairn/approximation/biharmonic/column_tiles.hpp"
#include "cairn/approximation/biharmonic/interpolation_by_rows.hpp"
#include "cairn/approximation/biharmonic/interpolation_rows.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/operator_view.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr double row_sum_limit = 1e-4;  // above it P is no interpolation

// Landmarks whose rows are unit rows: all where they are hard.
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
  if (solver.own) solver.own->release();
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
  if (!is_one_of(parameters.solver, {"auto", "direct", "local", "iterative"})) {
    refuse(fmt::format("parameter solver is direct, local, iterative or auto, not {}", parameters.solver));
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
        "direct or iterative");
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

// What to do about a component without landmark.
std::string advice_of(const BiharmonicOperator& op) {
  return op.kind == "neighbours" ? "take more landmarks, or more neighbours of a point (neighbours)"
                                 : "take more landmarks, or only the largest component (largest-component)";
}

// Entries of a column to keep: p = (n - l) p_row / l (n where landmarks are soft), rounded to the nearest, at least 1;
// 0 if that is all.
Index kept_of_column(const InterpolationParameters& parameters, Index unknowns, Index landmarks) {
  if (parameters.dense(landmarks)) return 0;
  const double kept = std::round(static_cast<double>(unknowns) * static_cast<double>(parameters.p_row) /
                                 static_cast<double>(landmarks));
  return std::max<Index>(1, static_cast<Index>(kept));
}

// Of what was kept under this name nothing is of another solver or of other tiles, which `auto` may choose where there
// is more memory or less.
std::string loop_name(const std::string& solver, const ColumnTiling& tiling) {
  std::uint64_t digest = 0;
  for (const std::vector<Index>& tile : tiling.tiles()) digest = hash_bytes(std::as_bytes(std::span(tile)), digest);
  return fmt::format("interpolation {} {:08x}", solver, static_cast<std::uint32_t>(digest));
}

void require_row_sums(const InterpolationParameters& parameters, const InterpolationReport& report) {
  const bool local = report.solver == "local", iterative = report.solver == "iterative";
  const double limit = local ? std::max(row_sum_limit, 100.0 * parameters.tolerance) : row_sum_limit;
  if (!report.largest_row_sum_error || *report.largest_row_sum_error <= limit) return;
  throw Error(ErrorKind::numeric,
              fmt::format("rows of P sum to 1 within {:.1e} only (condition of M about {:.1e}); take {}",
                          *report.largest_row_sum_error, report.condition_estimate,
                          local || iterative ? "a smaller tolerance or more landmarks" : "more landmarks"));
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
  // No rank collects a whole column but where it has computed it by itself.
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
  if (parameters.normalize && kept > 0) {
    if (const Index left = normalize_rows(communicator, p); left > 0) {
      report.notes.push_back(
          fmt::format("{} rows of P sum to less than {} and were not divided by that", left, least_row_sum));
    }
  }
  return p;
}

}  // namespace cairn
