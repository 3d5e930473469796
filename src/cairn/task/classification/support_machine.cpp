#include "cairn/task/classification/support_machine.hpp"

#include <algorithm>

namespace cairn {

void write_machine(const svm_model& model, std::size_t rows, std::span<double> numbers) {
  const auto classes = static_cast<std::size_t>(model.nr_class), pairs = classes * (classes - 1) / 2;
  std::copy_n(model.label, classes, numbers.begin());
  std::copy_n(model.rho, pairs, numbers.begin() + static_cast<std::ptrdiff_t>(classes));
  const std::span<double> coefficients = numbers.subspan(classes + pairs);
  for (std::size_t c = 0; c + 1 < classes; ++c) {
    for (int v = 0; v < model.l; ++v) {
      coefficients[c * rows + static_cast<std::size_t>(model.sv_indices[v] - 1)] = model.sv_coef[c][v];
    }
  }
}

SupportMachine::SupportMachine(std::span<const double> numbers, std::size_t classes, std::span<const double> labels,
                               std::span<const Index> columns)
    : rho_(numbers.subspan(classes, classes * (classes - 1) / 2)),
      coefficients_(numbers.subspan(classes + rho_.size())),
      rows_(labels.size()),
      supports_(classes) {
  for (std::size_t c = 0; c < classes; ++c) labels_.push_back(static_cast<int>(numbers[c]));
  for (std::size_t i = 0; i < rows_; ++i) {
    if (columns[i] < 0) continue;
    const auto its = std::ranges::find(labels_, static_cast<int>(labels[i])) - labels_.begin();
    supports_[static_cast<std::size_t>(its)].push_back({static_cast<Index>(i), static_cast<std::size_t>(columns[i])});
  }
}

std::vector<double> SupportMachine::values(std::span<const double> kernels) const {
  std::vector<double> values;
  for (std::size_t a = 0; a < labels_.size(); ++a) {
    for (std::size_t b = a + 1; b < labels_.size(); ++b) {
      double sum = 0.0;
      const auto add = [&](std::size_t label, std::size_t other) {
        for (const Support& one : supports_[label]) {
          sum += coefficients_[other * rows_ + static_cast<std::size_t>(one.row)] * kernels[one.column];
        }
      };
      add(a, b - 1);
      add(b, a);
      values.push_back(sum - rho_[values.size()]);
    }
  }
  return values;
}

}  // namespace cairn
