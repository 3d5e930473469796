#include "cairn/task/classification/classifier_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include "cairn/parameters/units.hpp"
#include "cairn/task/classification/ranking.hpp"

namespace cairn {

namespace {

constexpr std::size_t most_columns = 12;   // of a printed confusion matrix
constexpr std::size_t most_mistakes = 10;  // listed instead of a larger confusion matrix

ReportText mistakes_report(const StoredClassScore& score, const std::vector<std::string>& labels) {
  std::vector<std::tuple<Index, std::size_t, std::size_t>> mistakes;
  const std::size_t size = labels.size();
  for (std::size_t truth = 0; truth < size; ++truth) {
    for (std::size_t predicted = 0; predicted < size; ++predicted) {
      const Index count = score.confusion[truth * size + predicted];
      if (truth != predicted && count > 0) mistakes.emplace_back(-count, truth, predicted);
    }
  }
  if (mistakes.empty()) return {};
  std::sort(mistakes.begin(), mistakes.end());
  mistakes.resize(std::min(mistakes.size(), most_mistakes));
  std::vector<std::vector<std::string>> rows = {{"label", "predicted", "rows"}};
  for (const auto& [count, truth, predicted] : mistakes) {
    rows.push_back({labels[truth], labels[predicted], grouped(-count)});
  }
  return ReportText().heading(fmt::format("most frequent mistakes ({})", score.on)).table(std::move(rows));
}

}  // namespace

StoredClassScore stored_score(const std::string& on, const Confusion& confusion) {
  return {on, confusion.accuracy(), confusion.macro_f1(), confusion.counts};
}

ReportText class_score_report(const std::vector<StoredClassScore>& scores) {
  if (scores.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"on", "rows", "accuracy", "macro F1"}};
  for (const StoredClassScore& score : scores) {
    rows.push_back({score.on, grouped(score.rows()), fmt::format("{:.4f}", score.accuracy),
                    fmt::format("{:.4f}", score.macro_f1)});
  }
  return ReportText().table(std::move(rows));
}

ReportText confusion_report(const StoredClassScore& score, const std::vector<std::string>& labels) {
  if (labels.size() > most_columns) return mistakes_report(score, labels);
  std::vector<std::vector<std::string>> rows = {{"label \\ predicted"}};
  rows.front().insert(rows.front().end(), labels.begin(), labels.end());
  for (std::size_t truth = 0; truth < labels.size(); ++truth) {
    rows.push_back({labels[truth]});
    for (std::size_t predicted = 0; predicted < labels.size(); ++predicted) {
      rows.back().push_back(grouped(score.confusion[truth * labels.size() + predicted]));
    }
  }
  return ReportText().heading(fmt::format("confusion ({})", score.on)).table(std::move(rows));
}

Metric::List class_score_metrics(const std::vector<StoredClassScore>& scores) {
  Metric::List list;
  for (const StoredClassScore& score : scores) {
    list.emplace_back(Metric::Record{{"on", score.on},
                                     {"rows", score.rows()},
                                     {"accuracy", score.accuracy},
                                     {"macro_f1", score.macro_f1},
                                     {"confusion", score.confusion}});
  }
  return list;
}

std::size_t best_candidate(const std::vector<StoredCandidate>& candidates) {
  const auto worse = [](const StoredCandidate& a, const StoredCandidate& b) {
    return a.average_precision.value_or(a.accuracy) < b.average_precision.value_or(b.accuracy);
  };
  return static_cast<std::size_t>(std::max_element(candidates.begin(), candidates.end(), worse) - candidates.begin());
}

std::string candidates_chosen_by(const std::vector<StoredCandidate>& candidates) {
  return !candidates.empty() && candidates.front().average_precision ? "MAP" : "accuracy";
}

ReportText candidate_report(const std::vector<StoredCandidate>& candidates, const std::string& value) {
  if (candidates.empty()) return {};
  const bool ranked = candidates.front().average_precision.has_value();
  std::vector<std::vector<std::string>> rows = {{"result", value, "accuracy", "macro F1"}};
  if (ranked) rows.front().emplace_back("MAP");
  for (const StoredCandidate& candidate : candidates) {
    rows.push_back({std::filesystem::path(candidate.result).filename().string(), fmt::format("{:g}", candidate.cost),
                    fmt::format("{:.4f}", candidate.accuracy), fmt::format("{:.4f}", candidate.macro_f1)});
    if (ranked) rows.back().push_back(fmt::format("{:.4f}", candidate.average_precision.value_or(0.0)));
  }
  return ReportText().table(std::move(rows));
}

Metric::List candidate_metrics(const std::vector<StoredCandidate>& candidates) {
  Metric::List list;
  for (const StoredCandidate& one : candidates) {
    Metric::Record metrics = {
        {"file", one.result}, {"cost", one.cost}, {"accuracy", one.accuracy}, {"macro_f1", one.macro_f1}};
    if (one.average_precision) {
      metrics.emplace_back("map", *one.average_precision);
    } else {
      metrics.emplace_back("map", Metric());
    }
    list.emplace_back(std::move(metrics));
  }
  return list;
}

ReportText classifier_report(const ClassifierFile& classifier) {
  std::string parameters;
  for (const auto& [key, value] : classifier.similarity_parameters) parameters += fmt::format(", {} = {}", key, value);
  const std::string others =
      classifier.candidates.size() > 1
          ? fmt::format(", the best of {} candidates by {} in {}-fold cross-validation", classifier.candidates.size(),
                        candidates_chosen_by(classifier.candidates), classifier.folds)
          : "";
  ReportText text;
  text.metric(classifier.features ? "network" : "result", classifier.result)
      .metric("method, similarity", fmt::format("{}, {}{}", classifier.method, classifier.similarity, parameters));
  if (classifier.features) {
    text.metric("features", fmt::format("{} of points with {} coordinates, {} precision", grouped(classifier.columns),
                                        grouped(classifier.points->dimension), classifier.precision))
        .metric("scaling", classifier.points->scaling.kind);
    if (classifier.cost > 0) text.metric("penalty", fmt::format("{:g}", classifier.cost));
  }
  const bool free = classifier.pairs || classifier.features;
  if (!classifier.neighbors) {
    text.metric(free ? "loss, intercept" : "loss, bias",
                free ? classifier.loss + ", free" + (classifier.pairs ? ", one class against one other" : "")
                     : fmt::format("{}, {:g}", classifier.loss, classifier.bias));
  }
  text.metric("classes, training rows",
              fmt::format("{}, {}", classifier.classes.size(), grouped(classifier.training_rows)));
  if (classifier.neighbors) {
    text.metric("neighbors", fmt::format("{}, {}{}", classifier.neighbors->k,
                                         classifier.neighbors->by_distance ? "by distance" : "alike", others));
  } else if (!classifier.features) {
    text.metric("C", fmt::format("{:g}{}", classifier.cost, others));
  }
  if (classifier.passes > 0) text.metric("passes", grouped(classifier.passes));
  if (classifier.balanced) text.metric("class weights", "balanced");
  if (!classifier.positive.empty()) text.metric("positive label", classifier.positive);
  text.warnings(classifier.warnings).add(class_score_report(classifier.scores));
  if (!classifier.rankings.empty()) text.gap().add(ranking_report(classifier.rankings));
  if (!classifier.scores.empty()) text.gap().add(confusion_report(classifier.scores.back(), classifier.labels));
  return text.gap();
}

namespace {

// The metrics of any classifier, and then others.
Metric::Record with_origin(const ClassifierFile& classifier, Metric::Record others) {
  Metric::Record all = {{"task", classifier.task},
                        {"result", classifier.result},
                        {"method", classifier.method},
                        {"similarity", classifier.similarity},
                        {"similarity_parameters", record_of(classifier.similarity_parameters)},
                        {"columns", classifier.columns},
                        {"basis_digest", fmt::format("{:016x}", classifier.basis_digest)},
                        {"classes", classifier.classes},
                        {"labels", classifier.labels}};
  std::ranges::move(others, std::back_inserter(all));
  return all;
}

// The metrics of a classifier without planes have no loss and no C.
Metric::Record neighbor_metrics(const ClassifierFile& classifier) {
  const StoredNeighbors& neighbors = *classifier.neighbors;
  Metric::List candidates;
  for (const StoredCandidate& one : classifier.candidates) {
    candidates.emplace_back(
        Metric::Record{{"k", static_cast<Index>(one.cost)}, {"accuracy", one.accuracy}, {"macro_f1", one.macro_f1}});
  }
  return with_origin(classifier, {{"k", neighbors.k},
                                  {"weights", neighbors.by_distance ? "distance" : "equal"},
                                  {"folds", classifier.folds},
                                  {"training_rows", classifier.training_rows},
                                  {"candidates", candidates},
                                  {"scores", class_score_metrics(classifier.scores)},
                                  {"warnings", classifier.warnings}});
}

}  // namespace

Metric::Record classifier_metrics(const ClassifierFile& classifier) {
  if (classifier.neighbors) return neighbor_metrics(classifier);
  const bool free = classifier.pairs || classifier.features;
  return with_origin(classifier, {{"loss", classifier.loss},
                                  {"multiclass", classifier.pairs ? "one-vs-one" : "one-vs-rest"},
                                  {"bias", free ? Metric() : Metric(classifier.bias)},
                                  {"intercept", free                  ? "free"
                                                : classifier.bias > 0 ? "regularized"
                                                                      : "none"},
                                  {"cost", classifier.cost},
                                  {"passes", classifier.passes},
                                  {"class_weights", classifier.balanced ? "balanced" : "none"},
                                  {"positive", classifier.positive},
                                  {"folds", classifier.folds},
                                  {"training_rows", classifier.training_rows},
                                  {"candidates", candidate_metrics(classifier.candidates)},
                                  {"chosen_by", candidates_chosen_by(classifier.candidates)},
                                  {"scores", class_score_metrics(classifier.scores)},
                                  {"rankings", ranking_metrics(classifier.rankings)},
                                  {"warnings", classifier.warnings}});
}

}  // namespace cairn
