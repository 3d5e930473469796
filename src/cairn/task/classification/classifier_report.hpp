// What is said of classifiers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classification_score.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

[[nodiscard]] StoredClassScore stored_score(const std::string& on, const Confusion& confusion);

/// A line a score; nothing without scores.
[[nodiscard]] ReportText class_score_report(const std::vector<StoredClassScore>& scores);
/// Rows by true and predicted class, where the classes are few enough for a page; else the classes that are mistaken
/// for each other most often.
[[nodiscard]] ReportText confusion_report(const StoredClassScore& score, const std::vector<std::string>& labels);
/// A record for each score: rows, accuracy, macro_f1, confusion.
[[nodiscard]] Figure::List class_score_figures(const std::vector<StoredClassScore>& scores);

/// The best candidate: by MAP within groups if that is known, else by accuracy; of equal ones the first. Local.
[[nodiscard]] std::size_t best_candidate(const std::vector<StoredCandidate>& candidates);
/// By what it is the best: "MAP" or "accuracy". Local.
[[nodiscard]] std::string candidates_chosen_by(const std::vector<StoredCandidate>& candidates);
/// The similarities and Cs that were tried; nothing if there were none.
[[nodiscard]] ReportText candidate_report(const std::vector<StoredCandidate>& candidates);
[[nodiscard]] Figure::List candidate_figures(const std::vector<StoredCandidate>& candidates);

/// All of a classifier but its candidates and provenance.
[[nodiscard]] ReportText classifier_report(const ClassifierFile& classifier);
/// All of it but its provenance.
[[nodiscard]] Figure::Record classifier_figures(const ClassifierFile& classifier);

}  // namespace cairn
