// The parameters of Gaussian processes by their marginal likelihood.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/base/matrix_view.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"

namespace cairn {

/// A fit takes some hundred Cholesky factors of a dense matrix of the training rows. With so many rows each takes .8 GB
/// and about a minute of a core, a fit an hour or two; where so much is known, other methods do as well.
inline constexpr Index most_process_rows = 10'000;

/// Rows to train on, in the order of the rows of the result, the same on every rank.
struct ProcessRows {
  std::vector<Index> rows;       ///< their numbers
  std::vector<double> features;  ///< rows x columns, row-major
  Index columns = 0;
  std::vector<double> targets;  ///< rows x targets, row-major
  Index target_count = 0;

  [[nodiscard]] Index count() const { return static_cast<Index>(rows.size()); }
  [[nodiscard]] MatrixView<const double> view() const { return {features.data(), count(), columns}; }
};

/// Column `target` of a list of rows of `count` targets, less `mean`: as GaussianProcess takes them. Local.
[[nodiscard]] std::vector<double> centered(std::span<const double> targets, Index count, Index target, double mean);

/// One search for the largest likelihood.
struct ProcessStart {
  CovarianceParameters begin, end;  ///< of standardized targets
  double log_likelihood = 0.0;      ///< at its end
  Index iterations = 0, evaluations = 0;
  bool converged = false;
};

/// What was found for one target.
struct ProcessFit {
  double mean = 0.0, scale = 1.0;   ///< of the targets of the training rows: their mean and standard deviation (over n)
  CovarianceParameters parameters;  ///< in units of the targets
  double log_likelihood = 0.0;      ///< log p of the standardized targets
  double median_distance = 0.0;     ///< of the training rows; 0 if these are all equal
  std::vector<ProcessStart> starts;
  std::size_t chosen = 0;  ///< of the starts
};

/// @throws Error(resource) for more than most_process_rows. Local.
void require_process_rows(Index rows);

/// Bytes that a rank takes to fit or predict from so many rows.
[[nodiscard]] Index process_bytes(Index rows, Index columns);

/// Fits a process to each target: targets are standardized; from four starts (length .3, 1, 3 and 10 times the median
/// distance, sigma 1, noise .1 to .7) L-BFGS looks for the largest log p by log sigma, log length and log noise, within
/// 1e-3 to 1e3 median distances, sigma 1e-3 to 1e2 and noise 1e-4 to 10. Of ends that are alike (within 1e-6, relative)
/// the first is taken. Starts are dealt to the ranks: the outcome is the same on any number of them.
/// @param names  of the targets, for messages
/// @throws Error(input) if there is a single row, or a target that is the same everywhere; as
///   require_process_rows(); Error(numeric) for features whose distances are not finite. Memory of a rank:
///   process_bytes(). Collective.
[[nodiscard]] std::vector<ProcessFit> fit_processes(const Execution& execution, const ProcessRows& rows,
                                                    const std::vector<std::string>& names);

/// Sentences on a fit that ended at a bound, or before its end. @param name  of the target. Local.
[[nodiscard]] std::vector<std::string> fit_warnings(const ProcessFit& fit, const std::string& name);

}  // namespace cairn
