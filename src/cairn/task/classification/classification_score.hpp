// Accuracy of predicted classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Number of rows by true and predicted class.
struct Confusion {
  Index classes = 0;
  std::vector<Index> counts;  ///< classes x classes, row-major: [truth][predicted]

  Confusion() = default;
  explicit Confusion(Index class_count)
      : classes(class_count), counts(static_cast<std::size_t>(class_count * class_count), 0) {}

  [[nodiscard]] Index& at(Index truth, Index predicted) { return counts[truth * classes + predicted]; }
  [[nodiscard]] Index at(Index truth, Index predicted) const { return counts[truth * classes + predicted]; }
  [[nodiscard]] Index rows() const;
  /// Share of rows with correctly predicted class; 0 without rows.
  [[nodiscard]] double accuracy() const;
  /// 2 TP / (2 TP + FP + FN) for each class; 0 for a class without true or predicted rows.
  [[nodiscard]] std::vector<double> f1() const;
  /// Mean of F1 over the classes with true or predicted rows.
  [[nodiscard]] double macro_f1() const;
};

/// Counts the rows of all ranks; those without a true class (no_class) are left out. Collective.
[[nodiscard]] Confusion confusion_of(const Communicator& communicator, Index classes,
                                     std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);

/// Mean and sample standard deviation (divided by the number of values minus one).
struct MeanAndDeviation {
  double mean = 0.0, deviation = 0.0;
};
[[nodiscard]] MeanAndDeviation mean_and_deviation(std::span<const double> values);

}  // namespace cairn
