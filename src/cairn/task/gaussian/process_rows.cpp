#include "cairn/task/gaussian/process_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/regression/model_report.hpp"
#include "cairn/task/sign_notes.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

OwnRows rows_for(RowUse use, const Targets& targets, const std::vector<RowUse>& uses, Index first) {
  OwnRows own;
  const auto width = static_cast<std::ptrdiff_t>(targets.count());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != use) continue;
    own.rows.push_back(first + static_cast<Index>(i));
    const auto values = targets.values.begin() + static_cast<std::ptrdiff_t>(i) * width;
    own.targets.insert(own.targets.end(), values, values + width);
  }
  return own;
}

// ∫ (F(x) - [x >= y])² dx of a normal distribution F with standard deviation 1 and y `z` above its mean.
double ranked_probability_score(double z) {
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return z * std::erf(z / std::numbers::sqrt2) + 2.0 * density - std::numbers::inv_sqrtpi;
}

}  // namespace

std::vector<double> OwnRows::column(Index target, Index count) const {
  std::vector<double> values;
  for (auto at = static_cast<std::size_t>(target); at < targets.size(); at += static_cast<std::size_t>(count)) {
    values.push_back(targets[at]);
  }
  return values;
}

template <class T>
ChosenRows choose_process_rows(const TaskInput& input, const StoredResult<T>& result) {
  const Communicator& communicator = input.execution.communicator;
  const std::string& path = input.results.front();
  const Values& values = input.values;
  const auto phase = input.execution.phases.enter("targets");
  const RowPartition& partition = result.approximation.left.partition();
  ChosenRows chosen{.targets = targets_of(communicator, values, input.keys.data, path, result)};
  const auto uses =
      row_uses(communicator, values, partition, chosen.targets.known, result.splits, input.execution.seed);
  const Index first = partition.range(communicator.rank()).begin;
  chosen.training = rows_for(RowUse::train, chosen.targets, uses, first);
  chosen.held_out = rows_for(RowUse::test, chosen.targets, uses, first);
  chosen.rows = partition.rows();
  chosen.training_rows = communicator.sum(static_cast<Index>(chosen.training.rows.size()));
  chosen.held_out_rows = communicator.sum(static_cast<Index>(chosen.held_out.rows.size()));
  chosen.warnings = split_notices(communicator, values, result.splits);
  if (chosen.held_out_rows == 0) {
    const KeyNames& keys = values.keys();
    chosen.warnings.push_back(
        fmt::format("no row is held out, so there are no scores on unseen rows (set {}, {} or {} to hold rows out)",
                    keys("train-fraction"), keys("train-rows"), keys("split")));
  }
  chosen.text.metric("rows", fmt::format("{}: {} trained on, {} held out", grouped(chosen.rows),
                                         grouped(chosen.training_rows), grouped(chosen.held_out_rows)));
  for (const std::string& note : chosen.targets.notes(values.text("targets"))) chosen.text.note(note);
  chosen.text.notes(sign_notes(result.approximation.core_matrix, path));
  return chosen;
}

StoredIntervalScore interval_score(const Communicator& communicator, std::span<const Normal> predicted,
                                   const std::vector<double>& truth, double scale, const std::string& name,
                                   const std::string& on) {
  std::vector<double> means;
  double sums[] = {0.0, 0.0, 0.0, 0.0};  // targets inside their intervals, widths, log densities, ranked scores
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto& [mean, deviation] = predicted[i];
    means.push_back(mean);
    const double z = (truth[i] - mean) / deviation, half = half_interval * deviation;
    if (std::abs(truth[i] - mean) <= half) sums[0] += 1.0;
    sums[1] += 2.0 * half;
    sums[2] -= 0.5 * (std::log(2.0 * std::numbers::pi) + z * z) + std::log(deviation / scale);
    sums[3] += deviation * ranked_probability_score(z);
  }
  communicator.sum(std::span<double>(sums));
  const auto scores = stored_scores(score(communicator, means, truth, 1), {name}, on);
  const auto count = static_cast<double>(scores.front().rows);
  return {scores.front(), sums[0] / count, sums[1] / count, sums[2] / count, sums[3] / count};
}

template ChosenRows choose_process_rows(const TaskInput&, const StoredResult<float>&);
template ChosenRows choose_process_rows(const TaskInput&, const StoredResult<double>&);

}  // namespace cairn
