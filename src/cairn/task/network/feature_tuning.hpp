// Learns coefficients of features from rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Training data: rows of this rank and their target outputs.
template <class T>
struct TuningInput {
  const Execution& execution;
  const RowBlock<T>& left;          ///< features
  std::span<const Index> rows;      ///< own training rows, by their global numbers, ascending
  std::span<const double> targets;  ///< row-major, one row of outputs per training row
  Index outputs = 0;
  std::vector<double> penalties;  ///< each above 0
};

/// A penalty that was tried, and the mean loss per held-out row.
struct TriedPenalty {
  double penalty = 0.0, loss = 0.0;
};

/// Outputs are row of features · coefficients + intercepts.
struct TunedCoefficients {
  std::vector<double> coefficients;  ///< features x outputs, row-major
  std::vector<double> intercepts;
  double penalty = 0.0;
  std::vector<TriedPenalty> tried;  ///< if several: the one with the smallest loss was chosen
  Index iterations = 0;             ///< 0: solved directly
  bool converged = true;
};

/// Minimizes the mean squared error plus penalty |B|², with features shifted to mean 0 and scaled to variance 1;
/// constant features get the coefficient 0. Of several penalties, chooses the one with the smallest error on a tenth of
/// the rows, drawn by (seed, Stream::held_out_rows), and trains on all rows again.
/// @throws Error(input) without rows, Error(numeric) if the equations are singular to rounding. Memory: a few features
///   x features matrices on every rank. Collective.
template <class T>
[[nodiscard]] TunedCoefficients tune_by_ridge(const TuningInput<T>& input);

/// As tune_by_ridge for the mean of -log p of the true class, p = softmax of the outputs, plus penalty / 2 |B|², by
/// L-BFGS.
/// @param input  with targets that are 1 for the true class, else 0. Collective.
template <class T>
[[nodiscard]] TunedCoefficients tune_by_logistic(const TuningInput<T>& input, Index most_iterations);

}  // namespace cairn
