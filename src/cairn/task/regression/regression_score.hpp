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

/// Relative difference below which scores count as equal. The effect of the number of ranks is far smaller.
inline constexpr double alike_scores = 1e-6;

/// Share of the targets' variation that is not explained, summed over targets: the smaller, the better. Infinity
/// without scores. Local.
[[nodiscard]] double missed_share(std::span<const RegressionScore> scores);

/// Index of the lambda with the least missed share; of shares that are alike, that of the largest lambda.
/// @param shares  one for each lambda. Local.
[[nodiscard]] std::size_t best_lambda(std::span<const double> lambdas, std::span<const double> shares);

}  // namespace cairn
