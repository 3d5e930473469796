// What is printed of trained models.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/store/files/model_file.hpp"
#include "cairn/task/regression/regression_score.hpp"

namespace cairn::app {

/// The scores of the targets `names`, one each, measured on `on` (train, leave-one-out, held-out).
[[nodiscard]] std::vector<StoredScore> stored_scores(const std::vector<RegressionScore>& scores,
                                                     const std::vector<std::string>& names, const std::string& on);

/// A table: a line a score.
[[nodiscard]] std::string score_report(const std::vector<StoredScore>& scores);
[[nodiscard]] nlohmann::ordered_json score_json(const std::vector<StoredScore>& scores);

/// One model of a file, with its scores and warnings.
[[nodiscard]] std::string model_report(const StoredModel& model, std::size_t number);
[[nodiscard]] nlohmann::ordered_json model_json(const StoredModel& model);

/// All of a model file.
[[nodiscard]] std::string model_file_report(const std::string& path, const ModelFile& file);
[[nodiscard]] nlohmann::ordered_json model_file_json(const ModelFile& file);

}  // namespace cairn::app
