// How well scores rank the objects of each group.
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

/// Rows of groups, this rank's. Lists of equal length.
struct RankedRows {
  std::vector<Index> rows;  ///< numbers, over all ranks: their order within a group is that of the group (a thread)
  std::vector<std::string> groups;
  std::vector<double> scores;   ///< the largest is ranked first; of equal ones the first in the group's order
  std::vector<char> relevant;   ///< 1 if the row has the positive label
  std::vector<char> predicted;  ///< 1 if that is predicted of it
};

/// What the scorer of SemEval 2016, task 3 computes of the first ten of each group: means over all groups; the same on
/// any number of ranks, and of rows that stand in any order.
///
/// - MAP: of a group, the mean over its relevant rows among the first ten of the precision up to the row; 0 without
///   any.
/// - AvgRec: the mean over i = 1, ..., 10 of the relevant rows among the first i, of all groups together, divided by
///   the most that there can be, min(i, relevant rows of the group).
/// - MRR: of a group, 1 / the place of its first relevant row; 0 if that is not among the first ten.
///
/// Both by score and in the groups' own order, which is what to beat; F1 of the positive label and the share of rows
/// that are told right, over all rows. Memory: the rows once more while they are exchanged. Collective.
[[nodiscard]] StoredRanking rank_groups(const Communicator& communicator, const std::string& on,
                                        const RankedRows& rows);

/// Rows of a rank with the scores that a classifier gives them.
struct ScoredRows {
  std::span<const Index> rows;              ///< numbers over all ranks
  std::span<const double> scores;           ///< rows x classes, row-major
  std::span<const std::int32_t> predicted;  ///< places in `classes`
  const std::vector<std::string>& classes;
};

/// Their ranking within groups by the score of `positive`; rows without label are left out.
/// @param first  the number of this rank's first row @param labels, groups  of all rows of this rank, or none
/// @return nothing if there are no labels or groups on any rank, or `positive` is empty or no class. Collective.
[[nodiscard]] std::optional<StoredRanking> rank_classes(const Communicator& communicator, const std::string& on,
                                                        const ScoredRows& scored, const std::string& positive,
                                                        Index first, const std::vector<std::string>& labels,
                                                        const std::vector<std::string>& groups);

/// A table with two lines for each ranking: by score, and by order. Local.
[[nodiscard]] ReportText ranking_report(const std::vector<StoredRanking>& rankings);
/// A record for each. Local.
[[nodiscard]] Figure::List ranking_figures(const std::vector<StoredRanking>& rankings);

}  // namespace cairn
