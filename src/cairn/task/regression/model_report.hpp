// What is said of trained models of values.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/model_file.hpp"
#include "cairn/task/regression/regression_score.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// The scores of the targets `names`, one each, measured on `on` (train, leave-one-out, held-out).
[[nodiscard]] std::vector<StoredScore> stored_scores(const std::vector<RegressionScore>& scores,
                                                     const std::vector<std::string>& names, const std::string& on);

/// A table: a line a score; nothing without scores.
[[nodiscard]] ReportText score_report(const std::vector<StoredScore>& scores);
[[nodiscard]] Figure::List score_figures(const std::vector<StoredScore>& scores);

/// One model of a file, with its scores and warnings.
[[nodiscard]] ReportText model_report(const StoredModel& model, std::size_t number);
[[nodiscard]] Figure::Record model_figures(const StoredModel& model);

/// All of a model file but its provenance, and what comes first of it: its name and task.
[[nodiscard]] ReportText model_file_report(const ModelFile& file);
[[nodiscard]] Figure::Record model_file_figures(const ModelFile& file);

}  // namespace cairn
