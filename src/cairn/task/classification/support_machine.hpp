// A machine that LIBSVM has trained, as numbers that can be sent. Private to this folder.
#pragma once

#include <libsvm/svm.h>

#include <cstddef>
#include <span>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// How many numbers a machine of so many classes, trained on so many rows, is.
[[nodiscard]] constexpr std::size_t machine_size(std::size_t classes, std::size_t rows) {
  return classes + classes * (classes - 1) / 2 + (classes - 1) * rows;
}

/// The labels in LIBSVM's order, rho of each pair of them, and coefficients of all rows, (classes - 1) x rows.
/// @param rows  that it was trained on @param numbers  machine_size(model.nr_class, rows) of them, which are 0. Local.
void write_machine(const svm_model& model, std::size_t rows, std::span<double> numbers);

/// Its decision values, summed in LIBSVM's order.
class SupportMachine {
 public:
  /// @param numbers  of write_machine() @param labels  of the rows that it was trained on
  /// @param columns  where the kernel of each of these stands in a row of kernels; negative: it is no support vector
  SupportMachine(std::span<const double> numbers, std::size_t classes, std::span<const double> labels,
                 std::span<const Index> columns);

  [[nodiscard]] const std::vector<int>& labels() const { return labels_; }
  /// Of an object, for each pair of labels a < b in the order (0, 1), (0, 2), ..., above 0: a.
  /// @param kernels  of the object with the support vectors, by `columns`
  [[nodiscard]] std::vector<double> values(std::span<const double> kernels) const;

 private:
  struct Support {
    Index row = 0;
    std::size_t column = 0;
  };
  std::span<const double> rho_, coefficients_;
  std::size_t rows_;
  std::vector<int> labels_;
  std::vector<std::vector<Support>> supports_;  // of each label
};

}  // namespace cairn
