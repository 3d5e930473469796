// The splits on which a machine is trained, and what is reported of them together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/data/row_list.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// One split of the rows, the candidate that cross-validation chose on it, and how well that does.
struct SvmRepeat {
  std::uint64_t seed = 0;
  std::vector<RowUse> uses;
  std::vector<StoredCandidate> candidates;
  std::vector<Confusion> validated;                  ///< one per candidate
  std::vector<std::optional<StoredRanking>> ranked;  ///< likewise
  std::size_t chosen = 0;                            ///< candidate
  std::size_t file = 0;
  double cost = 0.0;
  ClassifierFile model;
};

/// Figures of each split and their means. Adds a table of means to `text` if there are several. @param results  the
/// paths that a split's `file` counts in. Local.
[[nodiscard]] Figure::Record repeat_figures(const std::vector<SvmRepeat>& repeats,
                                            const std::vector<std::string>& results, ReportText& text);

}  // namespace cairn
