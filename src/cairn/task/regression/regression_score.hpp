// Errors of predictions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Sums over rows from which scores are computed.
struct RegressionScore {
  Index rows = 0;
  double squared_error = 0.0;      ///< sum of squared errors
  double absolute_error = 0.0;     ///< sum of absolute errors
  double squared_deviation = 0.0;  ///< sum of squares of the targets about their mean

  [[nodiscard]] double root_mean_squared_error() const;
  [[nodiscard]] double mean_absolute_error() const;
  /// 1 - squared_error / squared_deviation; nothing if all targets are equal.
  [[nodiscard]] std::optional<double> r_squared() const;
};

/// Scores of predictions for this rank's rows against their targets (both rows x columns, row-major), over all ranks:
/// one per column. Collective.
[[nodiscard]] std::vector<RegressionScore> score(const Communicator& communicator, std::span<const double> predicted,
                                                 std::span<const double> targets, Index columns);

}  // namespace cairn
