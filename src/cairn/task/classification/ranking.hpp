// Measures how well scores rank the objects of each group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// This rank's rows that belong to groups. Lists of equal length.
struct RankedRows {
  std::vector<Index> rows;  ///< global numbers; they determine the order within a group (a thread)
  std::vector<std::string> groups;
  std::vector<double> scores;   ///< the largest is ranked first; of equal ones the first in the group's order
  std::vector<char> relevant;   ///< 1 if the row has the positive label
  std::vector<char> predicted;  ///< 1 if the positive label is predicted for the row
};

/// Metrics of the scorer of SemEval 2016, task 3, for the first ten rows of each group: means over all groups. They are
/// the same on any number of ranks and for any order of the rows.
///
/// - MAP: for a group, the mean of the precision up to each of its relevant rows among the first ten; 0 without any.
/// - AvgRec: the mean over i = 1, ..., 10 of the relevant rows among the first i, of all groups together, divided by
///   the maximum possible, min(i, relevant rows of the group).
/// - MRR: for a group, 1 / the place of its first relevant row; 0 if that is not among the first ten.
///
/// Both by score and in the groups' own order, which is the baseline; F1 of the positive label and the share of
/// correctly predicted rows, over all rows. Memory: the rows once more while they are exchanged. Collective.
[[nodiscard]] StoredRanking rank_groups(const Communicator& communicator, const std::string& on,
                                        const RankedRows& rows);

/// Rows of a rank with their scores from a classifier.
struct ScoredRows {
  std::span<const Index> rows;              ///< global numbers
  std::span<const double> scores;           ///< rows x classes, row-major
  std::span<const std::int32_t> predicted;  ///< positions in `classes`
  const std::vector<std::string>& classes;
};

/// Ranks the rows within groups by the score of `positive`; rows without label are left out.
/// @param first  global number of this rank's first row @param labels, groups  of all rows of this rank, or empty
/// @return nothing if no rank has labels or groups, or if `positive` is empty or not a class. Collective.
[[nodiscard]] std::optional<StoredRanking> rank_classes(const Communicator& communicator, const std::string& on,
                                                        const ScoredRows& scored, const std::string& positive,
                                                        Index first, const std::vector<std::string>& labels,
                                                        const std::vector<std::string>& groups);

/// A table with two lines per ranking: by score, and by order. Local.
[[nodiscard]] ReportText ranking_report(const std::vector<StoredRanking>& rankings);
/// One record per ranking. Local.
[[nodiscard]] Metric::List ranking_metrics(const std::vector<StoredRanking>& rankings);

}  // namespace cairn
