// Rows that Gaussian processes are trained and tested on, and scores of what they predict.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/store/files/score_lists.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/gaussian/gaussian_process.hpp"
#include "cairn/task/regression/targets.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// Rows of this rank with the same use: their numbers, and their targets, rows x targets.
struct OwnRows {
  std::vector<Index> rows;
  std::vector<double> targets;

  /// One column of the targets.
  [[nodiscard]] std::vector<double> column(Index target, Index count) const;
};

/// What is learned, and from which rows.
struct ChosenRows {
  Targets targets;
  OwnRows training{}, held_out{};
  Index rows = 0, training_rows = 0, held_out_rows = 0;  ///< over all ranks
  std::vector<std::string> warnings{};
  ReportText text{};  ///< how many, and notes
};

/// Reads the targets and chooses the rows by the parameters of a task. @throws as targets_of, row_uses. Collective.
template <class T>
[[nodiscard]] ChosenRows choose_process_rows(const TaskInput& input, const StoredResult<T>& result);

/// Scores the distributions that were predicted for this rank's rows against their targets, over all ranks: the means,
/// the 95 % intervals, the mean log density of the standardized target, and the continuous ranked probability score
/// (Gneiting and Raftery 2007, section 4.2).
/// @param scale  standard deviation of the target Collective.
[[nodiscard]] StoredIntervalScore interval_score(const Communicator& communicator, std::span<const Normal> predicted,
                                                 const std::vector<double>& truth, double scale,
                                                 const std::string& name, const std::string& on);

/// Half the width of a 95 % interval in standard deviations: the normal distribution has 2.5 % above this value.
inline constexpr double half_interval = 1.959963984540054;

}  // namespace cairn
