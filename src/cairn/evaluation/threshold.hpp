// Binary decisions by a threshold on similarities.
#pragma once

#include <span>

#include "cairn/base/index.hpp"

namespace cairn {

/// Numbers of pairs by true and predicted class.
struct BinaryCounts {
  Index true_positive = 0, false_positive = 0, false_negative = 0, true_negative = 0;

  [[nodiscard]] double accuracy() const;
  /// F1 of the positive class; 0 if it neither occurs nor is predicted.
  [[nodiscard]] double f1() const;
};

/// Counts pairs where those with value >= `threshold` are predicted positive.
/// @param positive  1 or 0 for each pair
/// Local.
[[nodiscard]] BinaryCounts count_at(std::span<const double> values, std::span<const char> positive, double threshold);

enum class ThresholdGoal { f1, accuracy };

/// The threshold with the largest F1 or accuracy, halfway between adjacent values; ties are broken by the highest.
/// Candidates include minus infinity (all are positive) and infinity (none is). Infinity if there are no values. Local.
[[nodiscard]] double best_threshold(std::span<const double> values, std::span<const char> positive, ThresholdGoal goal);

}  // namespace cairn
