// Fits the parameters of Gaussian processes by their marginal likelihood.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"

namespace cairn {

/// Limit on the training rows. A fit takes some hundred Cholesky factorizations of a dense matrix of the training rows.
/// At this limit each takes .8 GB and about a minute of one core, a fit an hour or two; with so much data, other
/// methods perform as well.
inline constexpr Index most_process_rows = 10'000;

/// Training rows, in the order of the rows of the result, the same on every rank.
struct ProcessRows {
  std::vector<Index> rows;       ///< their numbers
  std::vector<double> features;  ///< rows x columns, row-major
  Index columns = 0;
  std::vector<double> targets;  ///< rows x targets, row-major
  Index target_count = 0;

  [[nodiscard]] Index count() const { return static_cast<Index>(rows.size()); }
  [[nodiscard]] MatrixView<const double> view() const { return {features.data(), count(), columns}; }
};

/// Column `target` of a row-major table with `count` targets per row, minus `mean`: input of GaussianProcess. Local.
[[nodiscard]] std::vector<double> centered(std::span<const double> targets, Index count, Index target, double mean);

/// One search for the largest likelihood.
struct ProcessStart {
  CovarianceParameters begin, end;  ///< for standardized targets
  double log_likelihood = 0.0;      ///< at `end`
  Index iterations = 0, evaluations = 0;
  bool converged = false;
};

/// Fit of one target.
struct ProcessFit {
  double mean = 0.0, scale = 1.0;   ///< mean and standard deviation (over n) of the targets of the training rows
  CovarianceParameters parameters;  ///< in the units of the targets
  double log_likelihood = 0.0;      ///< log p of the standardized targets
  double median_distance = 0.0;     ///< of the training rows; 0 if they are all equal
  std::vector<ProcessStart> starts;
  std::size_t chosen = 0;  ///< index into starts
};

/// The error for a target that is `value` in all `rows` training rows.
[[nodiscard]] Error constant_target(const std::string& name, double value, Index rows);

/// @throws Error(resource) for more than most_process_rows. Local.
void require_process_rows(Index rows);

/// Bytes that a rank needs to fit on, or predict from, `rows` rows.
[[nodiscard]] Index process_bytes(Index rows, Index columns);

/// Fits a process to each target. Targets are standardized. From each of four starts (length .3, 1, 3 and 10 times the
/// median distance, sigma 1, noise .1 to .7), L-BFGS maximizes log p over log sigma, log length and log noise, within
/// 1e-3 to 1e3 median distances, sigma 1e-3 to 1e2 and noise 1e-4 to 10. Of end points with equal log p (within 1e-6,
/// relative) the first is taken. Starts are assigned to the ranks; the result is the same on any number of ranks.
/// @param names  of the targets, for messages
/// @throws Error(input) if there is a single row, or a target that is constant; as require_process_rows();
///   Error(numeric) for features whose distances are not finite. Memory of a rank: process_bytes(). Collective.
[[nodiscard]] std::vector<ProcessFit> fit_processes(const Execution& execution, const ProcessRows& rows,
                                                    const std::vector<std::string>& names);

/// Warnings about a fit that ended at a bound or before convergence. @param name  of the target. Local.
[[nodiscard]] std::vector<std::string> fit_warnings(const ProcessFit& fit, const std::string& name);

}  // namespace cairn
