// Reports on trained models of values.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/model_file.hpp"
#include "cairn/task/regression/regression_score.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Scores of the targets `names`, one each, measured on `on` (train, leave-one-out, held-out).
[[nodiscard]] std::vector<StoredScore> stored_scores(const std::vector<RegressionScore>& scores,
                                                     const std::vector<std::string>& names, const std::string& on);

/// A table with one line per score; nothing without scores.
[[nodiscard]] ReportText score_report(const std::vector<StoredScore>& scores);
[[nodiscard]] Metric::List score_metrics(const std::vector<StoredScore>& scores);

/// The same for predicted distributions.
[[nodiscard]] ReportText interval_score_report(const std::vector<StoredIntervalScore>& scores);
[[nodiscard]] Metric::List interval_score_metrics(const std::vector<StoredIntervalScore>& scores);

/// One model of a file, with its scores and warnings. @param centers  of a model on K itself, or null
[[nodiscard]] ReportText model_report(const StoredModel& model, std::size_t number, const StoredCenters* centers);
[[nodiscard]] Metric::Record model_metrics(const StoredModel& model, const StoredCenters* centers);

/// Reports a model file except for its provenance, name and task.
[[nodiscard]] ReportText model_file_report(const ModelFile& file);
[[nodiscard]] Metric::Record model_file_metrics(const ModelFile& file);

}  // namespace cairn
