#include "cairn/task/regression/chosen_rows.hpp"

#include <fmt/format.h>

#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/sign_notes.hpp"
#include "cairn/task/training_rows.hpp"

namespace cairn {

namespace {

TargetRows rows_for(RowUse use, const Targets& targets, const std::vector<RowUse>& uses, Index first) {
  TargetRows own;
  const auto width = static_cast<std::ptrdiff_t>(targets.count());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != use) continue;
    own.rows.push_back(first + static_cast<Index>(i));
    const auto values = targets.values.begin() + static_cast<std::ptrdiff_t>(i) * width;
    own.targets.insert(own.targets.end(), values, values + width);
  }
  return own;
}

}  // namespace

std::vector<double> TargetRows::column(Index target, Index count) const {
  std::vector<double> values;
  for (auto at = static_cast<std::size_t>(target); at < targets.size(); at += static_cast<std::size_t>(count)) {
    values.push_back(targets[at]);
  }
  return values;
}

template <class T>
ChosenRows choose_rows(const TaskInput& input, const StoredResult<T>& result) {
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

template ChosenRows choose_rows(const TaskInput&, const StoredResult<float>&);
template ChosenRows choose_rows(const TaskInput&, const StoredResult<double>&);

}  // namespace cairn
