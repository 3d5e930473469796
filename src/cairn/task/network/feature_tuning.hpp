// Coefficients of features that are learned from rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// What is learned: rows of this rank and what they should give.
template <class T>
struct TuningInput {
  const Execution& execution;
  const RowBlock<T>& left;          ///< features
  std::span<const Index> rows;      ///< own rows that are learned from, by their global numbers, ascending
  std::span<const double> targets;  ///< outputs a row, row-major
  Index outputs = 0;
  std::vector<double> penalties;  ///< each above 0
};

/// A penalty that was tried, and the mean loss of a row that was held out.
struct TriedPenalty {
  double penalty = 0.0, loss = 0.0;
};

/// row of features · coefficients + intercepts.
struct TunedCoefficients {
  std::vector<double> coefficients;  ///< features x outputs, row-major
  std::vector<double> intercepts;
  double penalty = 0.0;
  std::vector<TriedPenalty> tried;  ///< several: the one with the smallest loss was taken
  Index iterations = 0;             ///< 0: solved directly
  bool converged = true;
};

/// Minimizes the mean of squared errors plus penalty |B|², of features that were moved to mean 0 and scaled to variance
/// 1; those that do not vary have the coefficient 0. Of several penalties that with the smallest error on a tenth of
/// the rows, drawn by (seed, Stream::held_out_rows), is taken, and all rows are learned from again.
/// @throws Error(input) without rows, Error(numeric) if the equations are singular to rounding. Memory: a few matrices
/// features x features on every rank. Collective.
template <class T>
[[nodiscard]] TunedCoefficients tune_by_ridge(const TuningInput<T>& input);

/// The same for the mean of -log p of the true class, p = softmax of the outputs, and penalty / 2 |B|², by L-BFGS.
/// @param input  with targets that are 1 for the true class, else 0. Collective.
template <class T>
[[nodiscard]] TunedCoefficients tune_by_logistic(const TuningInput<T>& input, Index most_iterations);

/// Whether a row is held out while penalties are compared. Local.
[[nodiscard]] bool is_held_out(std::uint64_t seed, Index row);

}  // namespace cairn
