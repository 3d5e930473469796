// What is printed of classifiers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classification_score.hpp"

namespace cairn::app {

[[nodiscard]] StoredClassScore stored_score(const std::string& on, const Confusion& confusion);

/// A line a score.
[[nodiscard]] std::string class_score_report(const std::vector<StoredClassScore>& scores);
/// Rows by true and predicted class, where the classes are few enough for a page; else the classes that are mistaken
/// for each other most often.
[[nodiscard]] std::string confusion_report(const StoredClassScore& score, const std::vector<std::string>& labels);
/// An object for each score: rows, accuracy, macro_f1, confusion.
[[nodiscard]] nlohmann::ordered_json class_score_json(const std::vector<StoredClassScore>& scores);

/// The similarities and Cs that were tried.
[[nodiscard]] std::string candidate_report(const std::vector<StoredCandidate>& candidates);
[[nodiscard]] nlohmann::ordered_json candidate_json(const std::vector<StoredCandidate>& candidates);

/// All of a classifier but its provenance.
[[nodiscard]] std::string classifier_report(const ClassifierFile& classifier);
[[nodiscard]] nlohmann::ordered_json classifier_json(const ClassifierFile& classifier);

}  // namespace cairn::app
