// How often predicted classes are right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Rows by true and predicted class.
struct Confusion {
  Index classes = 0;
  std::vector<Index> counts;  ///< classes x classes, row-major: [truth][predicted]

  Confusion() = default;
  explicit Confusion(Index class_count)
      : classes(class_count), counts(static_cast<std::size_t>(class_count * class_count), 0) {}

  [[nodiscard]] Index& at(Index truth, Index predicted) {
    return counts[static_cast<std::size_t>(truth * classes + predicted)];
  }
  [[nodiscard]] Index at(Index truth, Index predicted) const {
    return counts[static_cast<std::size_t>(truth * classes + predicted)];
  }
  [[nodiscard]] Index rows() const;
  /// Share of rows whose class is predicted; 0 without rows.
  [[nodiscard]] double accuracy() const;
  /// 2 TP / (2 TP + FP + FN) of each class; 0 if it is neither true nor predicted anywhere.
  [[nodiscard]] std::vector<double> f1() const;
  /// Mean of F1 over the classes that are true or predicted somewhere.
  [[nodiscard]] double macro_f1() const;
};

/// Counts this rank's rows; those without a true class (no_class) are left out. Over all ranks. Collective.
[[nodiscard]] Confusion confusion_of(const Communicator& communicator, Index classes,
                                     std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);

/// Mean and standard deviation (of a sample: divided by their number less one) of some figures.
struct MeanAndDeviation {
  double mean = 0.0, deviation = 0.0;
};
[[nodiscard]] MeanAndDeviation mean_and_deviation(std::span<const double> values);

}  // namespace cairn
