#include "report/model_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cairn/parameters/units.hpp"
#include "report/report.hpp"

namespace cairn::app {

std::vector<StoredScore> stored_scores(const std::vector<RegressionScore>& scores,
                                       const std::vector<std::string>& names, const std::string& on) {
  std::vector<StoredScore> stored;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const RegressionScore& score = scores[t];
    stored.push_back(
        {names[t], on, score.rows, score.r_squared(), score.mean_absolute_error(), score.root_mean_squared_error()});
  }
  return stored;
}

std::string score_report(const std::vector<StoredScore>& scores) {
  if (scores.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"target", "rows", "", "R^2", "mean absolute error", "root mean squared error"}};
  for (const StoredScore& score : scores) {
    rows.push_back({score.target, score.on, grouped(score.rows),
                    score.r_squared ? fmt::format("{:.6f}", *score.r_squared) : "undefined",
                    fmt::format("{:.6g}", score.mean_absolute_error),
                    fmt::format("{:.6g}", score.root_mean_squared_error)});
  }
  return table(rows);
}

nlohmann::ordered_json score_json(const std::vector<StoredScore>& scores) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const StoredScore& score : scores) {
    nlohmann::ordered_json entry = {{"target", score.target}, {"on", score.on}, {"rows", score.rows}};
    entry["r_squared"] = score.r_squared ? nlohmann::ordered_json(*score.r_squared) : nlohmann::ordered_json();
    entry["mean_absolute_error"] = score.mean_absolute_error;
    entry["root_mean_squared_error"] = score.root_mean_squared_error;
    json.push_back(std::move(entry));
  }
  return json;
}

std::string model_report(const StoredModel& model, std::size_t number) {
  std::string parameters;
  for (const auto& [key, value] : model.similarity_parameters) parameters += fmt::format(", {} = {}", key, value);
  std::string text = fmt::format(
      "model {}: {}\n"
      "  method, similarity          {}, {}{}\n"
      "  lambda                      {:g}{}\n"
      "  eigenvalues of K~           {:.6g} to {:.6g} on the training rows\n"
      "  condition of lambda I + K~  {:.2g}\n",
      number + 1, model.result, model.method, model.similarity, parameters, model.lambda,
      model.lambdas.size() > 1 ? fmt::format(", the best of {:g} by leave-one-out", fmt::join(model.lambdas, ", "))
                               : "",
      model.smallest_eigenvalue, model.largest_eigenvalue, model.condition);
  text += warning_lines(model.warnings);
  return text + score_report(model.scores) + "\n";
}

nlohmann::ordered_json model_json(const StoredModel& model) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const auto& [key, value] : model.similarity_parameters) parameters[key] = value;
  return {{"file", model.result},
          {"method", model.method},
          {"similarity", model.similarity},
          {"similarity_parameters", parameters},
          {"columns", model.columns},
          {"basis_digest", fmt::format("{:016x}", model.basis_digest)},
          {"lambda", model.lambda},
          {"lambdas", model.lambdas},
          {"smallest_eigenvalue", model.smallest_eigenvalue},
          {"largest_eigenvalue", model.largest_eigenvalue},
          {"condition", model.condition},
          {"scores", score_json(model.scores)},
          {"warnings", model.warnings}};
}

std::string model_file_report(const std::string& path, const ModelFile& file) {
  std::string text = fmt::format(
      "{}: a model of cairn train, task {}\n"
      "  targets                     {}\n"
      "  training rows               {}\n"
      "  models                      {}\n\n",
      path, file.task, fmt::join(file.targets, ", "), grouped(file.training_rows), file.models.size());
  for (std::size_t m = 0; m < file.models.size(); ++m) text += model_report(file.models[m], m);
  if (!file.scores.empty()) text += "mean of all models\n" + score_report(file.scores) + "\n";
  for (const auto& [name, value] : file.provenance) text += fmt::format("  {:<26}  {}\n", name, value);
  return text;
}

nlohmann::ordered_json model_file_json(const ModelFile& file) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const StoredModel& model : file.models) models.push_back(model_json(model));
  return {{"task", file.task},
          {"targets", file.targets},
          {"training_rows", file.training_rows},
          {"models", models},
          {"ensemble", score_json(file.scores)},
          {"provenance", file.provenance}};
}

}  // namespace cairn::app
