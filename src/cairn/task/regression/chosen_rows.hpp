// Rows that a model of values is trained and tested on, with their targets.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/result/result_file.hpp"
#include "cairn/task/regression/targets.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// Rows of this rank with the same use: their numbers, and their targets, rows x targets.
struct TargetRows {
  std::vector<Index> rows;
  std::vector<double> targets;

  /// One column of the targets.
  [[nodiscard]] std::vector<double> column(Index target, Index count) const;
};

/// What is learned, and from which rows.
struct ChosenRows {
  Targets targets;
  TargetRows training{}, held_out{};
  Index rows = 0, training_rows = 0, held_out_rows = 0;  ///< over all ranks
  std::vector<std::string> warnings{};
  ReportText text{};  ///< how many, and notes
};

/// Reads the targets and chooses the rows by the parameters of a task. @throws as targets_of, row_uses. Collective.
template <class T>
[[nodiscard]] ChosenRows choose_rows(const TaskInput& input, const StoredResult<T>& result);

}  // namespace cairn
