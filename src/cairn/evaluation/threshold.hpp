// Yes or no by a threshold on similarities.
#pragma once

#include <span>

#include "cairn/base/index.hpp"

namespace cairn {

/// Pairs by what they are and what they are taken for.
struct BinaryCounts {
  Index true_positive = 0, false_positive = 0, false_negative = 0, true_negative = 0;

  [[nodiscard]] double accuracy() const;
  /// Of the positive class; 0 if it neither occurs nor is predicted.
  [[nodiscard]] double f1() const;
};

/// Counts where a pair is taken for positive if its value is at least `threshold`. @param positive  1 or 0 a pair.
/// Local.
[[nodiscard]] BinaryCounts count_at(std::span<const double> values, std::span<const char> positive, double threshold);

enum class ThresholdGoal { f1, accuracy };

/// The threshold with the largest F1 or accuracy, halfway between neighbouring values; of equal ones the highest. Minus
/// infinity (all are positive) and infinity (none is) are among them; infinity if there are no values. Local.
[[nodiscard]] double best_threshold(std::span<const double> values, std::span<const char> positive, ThresholdGoal goal);

}  // namespace cairn
