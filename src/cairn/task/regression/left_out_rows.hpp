// Means of targets, and values of rows by the model without them. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "cairn/task/regression/kernel_ridge.hpp"

namespace cairn {

/// Of the targets over the rows of all ranks. Collective.
[[nodiscard]] std::vector<double> means_of(const Communicator& communicator, const TrainingSet& training);

/// What is solved for: the targets, less their means with an intercept; then, where rows are left out, also a column of
/// ones, whose fit says what another mean would change.
struct RightSides {
  std::vector<double> values;  ///< rows x columns, row-major
  Index columns = 0;
  bool ones = false;
};

/// @param means  of the targets; empty: there is no intercept. Local.
[[nodiscard]] RightSides right_sides(const TrainingSet& training, const std::vector<double>& means, bool leave_one_out);

/// Values of own training rows by the model without each of them, as RidgeTrainer describes: y - (y - f) / (1 - h)
/// where there is no intercept. Nothing if some 1 - h is rounding on any rank, or no other row is left. Collective.
/// @param fitted  rows x columns of the right sides @param leverages  h, one a row
[[nodiscard]] std::optional<std::vector<double>> without_own_row(const Communicator& communicator,
                                                                 const TrainingSet& training, const RightSides& sides,
                                                                 const std::vector<double>& fitted,
                                                                 const std::vector<double>& leverages);

/// A row-major table without its last column. Local.
[[nodiscard]] std::vector<double> without_last_column(const std::vector<double>& table, Index columns);

}  // namespace cairn
