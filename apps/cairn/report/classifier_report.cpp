#include "report/classifier_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cairn/parameters/units.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

constexpr std::size_t most_columns = 12;   // of a confusion matrix on a page
constexpr std::size_t most_mistakes = 10;  // that are listed where it does not fit

std::string mistakes_report(const StoredClassScore& score, const std::vector<std::string>& labels) {
  std::vector<std::tuple<Index, std::size_t, std::size_t>> mistakes;
  const std::size_t size = labels.size();
  for (std::size_t truth = 0; truth < size; ++truth) {
    for (std::size_t predicted = 0; predicted < size; ++predicted) {
      const Index count = score.confusion[truth * size + predicted];
      if (truth != predicted && count > 0) mistakes.emplace_back(-count, truth, predicted);
    }
  }
  if (mistakes.empty()) return "";
  std::sort(mistakes.begin(), mistakes.end());
  mistakes.resize(std::min(mistakes.size(), most_mistakes));
  std::vector<std::vector<std::string>> rows = {{"label", "predicted", "rows"}};
  for (const auto& [count, truth, predicted] : mistakes) {
    rows.push_back({labels[truth], labels[predicted], grouped(-count)});
  }
  return fmt::format("most frequent mistakes ({})\n", score.on) + table(rows);
}

}  // namespace

StoredClassScore stored_score(const std::string& on, const Confusion& confusion) {
  return {on, confusion.accuracy(), confusion.macro_f1(), confusion.counts};
}

std::string class_score_report(const std::vector<StoredClassScore>& scores) {
  if (scores.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"on", "rows", "accuracy", "macro F1"}};
  for (const StoredClassScore& score : scores) {
    rows.push_back({score.on, grouped(score.rows()), fmt::format("{:.4f}", score.accuracy),
                    fmt::format("{:.4f}", score.macro_f1)});
  }
  return table(rows);
}

std::string confusion_report(const StoredClassScore& score, const std::vector<std::string>& labels) {
  if (labels.size() > most_columns) return mistakes_report(score, labels);
  std::vector<std::vector<std::string>> rows = {{"label \\ predicted"}};
  rows.front().insert(rows.front().end(), labels.begin(), labels.end());
  for (std::size_t truth = 0; truth < labels.size(); ++truth) {
    rows.push_back({labels[truth]});
    for (std::size_t predicted = 0; predicted < labels.size(); ++predicted) {
      rows.back().push_back(grouped(score.confusion[truth * labels.size() + predicted]));
    }
  }
  return fmt::format("confusion ({})\n", score.on) + table(rows);
}

nlohmann::ordered_json class_score_json(const std::vector<StoredClassScore>& scores) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const StoredClassScore& score : scores) {
    json.push_back({{"on", score.on},
                    {"rows", score.rows()},
                    {"accuracy", score.accuracy},
                    {"macro_f1", score.macro_f1},
                    {"confusion", score.confusion}});
  }
  return json;
}

std::string candidate_report(const std::vector<StoredCandidate>& candidates) {
  if (candidates.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"result", "C", "accuracy", "macro F1"}};
  for (const StoredCandidate& candidate : candidates) {
    rows.push_back({std::filesystem::path(candidate.result).filename().string(), fmt::format("{:g}", candidate.cost),
                    fmt::format("{:.4f}", candidate.accuracy), fmt::format("{:.4f}", candidate.macro_f1)});
  }
  return table(rows);
}

std::string classifier_report(const ClassifierFile& classifier) {
  std::string parameters;
  for (const auto& [key, value] : classifier.similarity_parameters) parameters += fmt::format(", {} = {}", key, value);
  std::string text = fmt::format(
      "  result                      {}\n"
      "  method, similarity          {}, {}{}\n"
      "  loss, bias                  {}, {:g}\n"
      "  classes, training rows      {}, {}\n"
      "  C                           {:g}{}\n",
      classifier.result, classifier.method, classifier.similarity, parameters, classifier.loss, classifier.bias,
      classifier.classes.size(), grouped(classifier.training_rows), classifier.cost,
      classifier.candidates.size() > 1 ? fmt::format(", the best of {} candidates by {}-fold cross-validation",
                                                     classifier.candidates.size(), classifier.folds)
                                       : "");
  text += warning_lines(classifier.warnings);
  text += class_score_report(classifier.scores);
  if (!classifier.scores.empty()) text += "\n" + confusion_report(classifier.scores.back(), classifier.labels);
  return text + "\n";
}

nlohmann::ordered_json candidate_json(const std::vector<StoredCandidate>& candidates) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const StoredCandidate& one : candidates) {
    json.push_back({{"file", one.result}, {"cost", one.cost}, {"accuracy", one.accuracy}, {"macro_f1", one.macro_f1}});
  }
  return json;
}

nlohmann::ordered_json classifier_json(const ClassifierFile& classifier) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const auto& [key, value] : classifier.similarity_parameters) parameters[key] = value;
  return {{"task", classifier.task},
          {"result", classifier.result},
          {"method", classifier.method},
          {"similarity", classifier.similarity},
          {"similarity_parameters", parameters},
          {"columns", classifier.columns},
          {"basis_digest", fmt::format("{:016x}", classifier.basis_digest)},
          {"classes", classifier.classes},
          {"labels", classifier.labels},
          {"loss", classifier.loss},
          {"bias", classifier.bias},
          {"cost", classifier.cost},
          {"folds", classifier.folds},
          {"training_rows", classifier.training_rows},
          {"candidates", candidate_json(classifier.candidates)},
          {"scores", class_score_json(classifier.scores)},
          {"warnings", classifier.warnings}};
}

}  // namespace cairn::app
