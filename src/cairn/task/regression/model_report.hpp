// Reports on trained models of values.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/model_file.hpp"
#include "cairn/task/regression/regression_score.hpp"
#include "cairn/task/task.hpp"

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

/// Writes the models of kernel ridge regression to the output of the task, with the provenance of the run, and tells
/// it.
/// @param file  its models, targets and training rows @param said  what has been told @param rows  rows with targets
/// @param models  metrics of each. @throws Error as write_model. Collective.
[[nodiscard]] TaskReport write_ridge_models(const TaskInput& input, ModelFile file, ReportText said, Index rows,
                                            Index held_out_rows, Metric::List models);

/// Reports a model file except for its provenance, name and task.
[[nodiscard]] ReportText model_file_report(const ModelFile& file);
[[nodiscard]] Metric::Record model_file_metrics(const ModelFile& file);

}  // namespace cairn
