// Reports on classifiers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

[[nodiscard]] StoredClassScore stored_score(const std::string& on, const Confusion& confusion);

/// One line per score; nothing without scores.
[[nodiscard]] ReportText class_score_report(const std::vector<StoredClassScore>& scores);
/// Rows by true and predicted class if the classes are few enough for a page; else the classes that are most often
/// mistaken for each other.
[[nodiscard]] ReportText confusion_report(const StoredClassScore& score, const std::vector<std::string>& labels);
/// One record per score: rows, accuracy, macro_f1, confusion.
[[nodiscard]] Metric::List class_score_metrics(const std::vector<StoredClassScore>& scores);

/// Index of the best candidate: by MAP within groups if available, else by accuracy; the first of equal ones. Local.
[[nodiscard]] std::size_t best_candidate(const std::vector<StoredCandidate>& candidates);
/// Criterion of best_candidate: "MAP" or "accuracy". Local.
[[nodiscard]] std::string candidates_chosen_by(const std::vector<StoredCandidate>& candidates);
/// The similarities and values of C that were tried; nothing if there were none. @param value  name of these values
[[nodiscard]] ReportText candidate_report(const std::vector<StoredCandidate>& candidates,
                                          const std::string& value = "C");
[[nodiscard]] Metric::List candidate_metrics(const std::vector<StoredCandidate>& candidates);

/// Reports a classifier except for its candidates and provenance.
[[nodiscard]] ReportText classifier_report(const ClassifierFile& classifier);
/// Metrics of a classifier except for its provenance.
[[nodiscard]] Metric::Record classifier_metrics(const ClassifierFile& classifier);

}  // namespace cairn
