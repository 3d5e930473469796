#include "cairn/task/regression/left_out_rows.hpp"

#include <cmath>

namespace cairn {

namespace {

/// 1 - h_i below this is rounding.
constexpr double least_leverage_gap = 1e-12;

}  // namespace

RightSides right_sides(const TrainingSet& training, const std::vector<double>& means, bool leave_one_out) {
  const auto targets = static_cast<std::size_t>(training.targets);
  RightSides sides{{}, training.targets, !means.empty() && leave_one_out};
  if (sides.ones) ++sides.columns;
  for (std::size_t at = 0; at < training.values.size(); ++at) {
    sides.values.push_back(training.values[at] - (means.empty() ? 0.0 : means[at % targets]));
    if (sides.ones && at % targets + 1 == targets) sides.values.push_back(1.0);
  }
  return sides;
}

std::optional<std::vector<double>> without_own_row(const Communicator& communicator, const TrainingSet& training,
                                                   const RightSides& sides, const std::vector<double>& fitted,
                                                   const std::vector<double>& leverages) {
  std::vector<double> predicted(training.values.size());
  const auto width = static_cast<std::size_t>(sides.columns), targets = static_cast<std::size_t>(training.targets);
  const auto others = static_cast<double>(communicator.sum(static_cast<Index>(leverages.size())) - 1);
  bool good = !sides.ones || others > 0;
  for (std::size_t i = 0; i < leverages.size(); ++i) {
    const double gap = 1.0 - leverages[i];
    good = good && std::abs(gap) > least_leverage_gap;
    for (std::size_t t = 0; t < targets; ++t) {
      const double value = sides.values[i * width + t];
      double residual = value - fitted[i * width + t];
      if (sides.ones) residual += value / others * (1.0 - fitted[i * width + targets]);  // from the mean of the others
      predicted[i * targets + t] = training.values[i * targets + t] - residual / gap;
    }
  }
  if (communicator.minimum(good ? Index{1} : Index{0}) == 0) return std::nullopt;
  return predicted;
}

std::vector<double> without_last_column(const std::vector<double>& table, Index columns) {
  std::vector<double> kept;
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (static_cast<Index>(at + 1) % columns != 0) kept.push_back(table[at]);
  }
  return kept;
}

std::vector<double> means_of(const Communicator& communicator, const TrainingSet& training) {
  const auto rows = static_cast<double>(communicator.sum(static_cast<Index>(training.rows.size())));
  std::vector<double> sums(static_cast<std::size_t>(training.targets), 0.0);
  for (std::size_t at = 0; at < training.values.size(); ++at) sums[at % sums.size()] += training.values[at];
  for (double& sum : sums) sum = communicator.sum(sum) / rows;
  return sums;
}

}  // namespace cairn
