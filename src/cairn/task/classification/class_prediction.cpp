#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/classification/linear_classifier.hpp"
#include "cairn/task/classification/neighbor_prediction.hpp"
#include "cairn/task/classification/ranking.hpp"
#include "cairn/task/extension_report.hpp"
#include "cairn/task/network/linear_network.hpp"
#include "cairn/task/network/network_comparison.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

// Predictions for this rank's rows.
struct Predicted {
  PredictedRows rows;
  ObjectTexts texts{};  // without the labels
  std::vector<double> scores{};
  std::vector<std::int32_t> classes{};
  OutOfSample out_of_sample{};
};

template <class T>
Predicted predict_as(const PredictionInput& input, const ClassifierFile& model, const std::string& path) {
  StoredResult<T> result = read_for_prediction<T>(input, path);
  const Factor<T>& left = result.approximation.left;
  Phases::Scope phase = input.execution.phases.enter("predict");
  const auto digests = digests_of_columns(input.execution.communicator, result.approximation, result.description);
  require_basis(path, digests, left.columns(), {model.basis_digest, model.columns, "the model", model.result});
  Predicted predicted{.rows = PredictedRows(input, left.partition(), std::move(result.labels),
                                            std::move(result.numbers), names_beside(result))};
  predicted.texts = std::move(static_cast<ObjectTexts&>(result));
  predicted.out_of_sample.add(result.description, path);
  if (model.neighbors) {
    NeighborClasses found = classes_by_neighbors(input, model, path, result, predicted.rows.rows());
    predicted.scores = std::move(found.scores);
    predicted.classes = std::move(found.classes);
    return predicted;
  }
  LinearClassifier classifier{{}, model.columns, model.coefficients, model.intercepts, 0, model.pairs};
  for (std::size_t c = 0; c < model.classes.size(); ++c) classifier.classes.push_back(static_cast<std::int32_t>(c));
  predicted.scores = class_scores(input.execution, left, classifier, predicted.rows.rows());
  predicted.classes = largest_classes(classifier, predicted.scores);
  return predicted;
}

// Predicts for points, using the features stored in the model.
template <class T>
Predicted predict_points_as(const PredictionInput& input, const ClassifierFile& model) {
  const Execution& execution = input.execution;
  const Data<T> data = read_new_points<T>(input, *model.points);
  const auto phase = execution.phases.enter("predict");
  const RowBlock<T>& points = data.points()->coordinates();
  const RowBlock<T> outputs = collectively(execution.communicator, [&] {
    RowBlock<T> found = feature_outputs(execution, points, *model.features, model.coefficients, model.intercepts);
    for (Index i = found.range().begin; i < found.range().end; ++i) {
      for (const T value : found.row(i)) {
        if (!std::isfinite(value)) throw Error(ErrorKind::numeric, fmt::format("row {} has a score of {}", i, value));
      }
    }
    return found;
  });
  Predicted predicted{.rows = PredictedRows(input, points.partition(), data.objects->labels(),
                                            data.numbers.of(points.range()), names_beside(texts_of(*data.objects)))};
  predicted.texts = texts_of(*data.objects);
  const std::vector<std::int32_t> classes = largest_outputs(outputs);
  for (const Index row : predicted.rows.rows()) {
    const std::span<const T> own = outputs.row(row);
    predicted.scores.insert(predicted.scores.end(), own.begin(), own.end());
    predicted.classes.push_back(classes[row - points.range().begin]);
  }
  return predicted;
}

// Number of rows predicted for each class.
ReportText class_counts(const Communicator& communicator, const ClassifierFile& model, const Predicted& predicted) {
  std::vector<Index> counts(model.classes.size(), 0);
  for (const std::int32_t one : predicted.classes) ++counts[one];
  communicator.sum(std::span<Index>(counts));
  std::vector<std::vector<std::string>> table{{"predicted", "rows"}};
  for (std::size_t c = 0; c < counts.size(); ++c) table.push_back({model.classes[c], grouped(counts[c])});
  return ReportText().table(std::move(table)).gap();
}

// Writes the format that the scorer of SemEval 2016, task 3 reads.
void write_ranks(const PredictionInput& input, const ClassifierFile& model, const Predicted& predicted) {
  const Communicator& communicator = input.execution.communicator;
  const auto there = [&](const std::vector<std::string>& texts) {
    return communicator.maximum(static_cast<Index>(texts.size())) > 0;
  };
  if (!there(predicted.texts.groups)) {
    throw Error(ErrorKind::input, fmt::format("{} = {}: the rows have no groups", input.keys("format"), input.format));
  }
  const auto its = std::ranges::find(model.classes, model.positive);
  if (model.positive.empty() || its == model.classes.end()) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: the model {} has no positive label; train with {}",
                                              input.keys("format"), input.format, input.model, input.keys("positive")));
  }
  const auto column = static_cast<std::size_t>(its - model.classes.begin());
  const bool named = there(predicted.texts.identifiers);
  predicted.rows.write_plain([&](std::size_t at, std::size_t own) {
    const Index row = predicted.rows.rows()[at];
    const std::string name = named ? predicted.texts.identifiers[own] : std::to_string(row);
    const bool positive = static_cast<std::size_t>(predicted.classes[at]) == column;
    return fmt::format("{}\t{}\t0\t{:.17g}\t{}\n", predicted.texts.groups[own], name,
                       predicted.scores[at * model.classes.size() + column], positive);
  });
}

void write_lines(const ClassifierFile& model, const Predicted& predicted) {
  std::string heading = ",predicted";
  for (const std::string& name : model.classes) heading += next_csv_field(fmt::format("score {}", name));
  const std::size_t width = model.classes.size();
  predicted.rows.write(heading, [&](std::size_t at) {
    std::string fields = next_csv_field(model.classes[predicted.classes[at]]);
    for (std::size_t c = 0; c < width; ++c) fields += fmt::format(",{:.17g}", predicted.scores[at * width + c]);
    return fields;
  });
}

// Comparison of predictions with labels, and sentences on labels that are not in the model. Empty without labels.
struct Comparison {
  std::vector<std::string> labels;
  std::vector<StoredClassScore> scores;
  std::vector<std::string> warnings;
};

Comparison compare(const Communicator& communicator, const ClassifierFile& model, const Predicted& predicted) {
  Comparison comparison;
  if (!predicted.rows.labelled()) return comparison;
  const auto found = find_classes(communicator, predicted.rows.labels(), model.classes);
  if (!found) {
    comparison.warnings.push_back(fmt::format(
        "the rows have more than {} different labels: these are values, and not compared with", most_classes));
    return comparison;
  }
  const Classes& classes = *found;
  std::vector<std::int32_t> truth;
  std::vector<Index> places;
  for (const Index row : predicted.rows.rows()) {
    places.push_back(row - predicted.rows.partition().range(communicator.rank()).begin);
    truth.push_back(classes.own[places.back()]);
  }
  const Confusion confusion = confusion_of(communicator, classes.count(), truth, predicted.classes);
  comparison.warnings = classes.notices;
  if (confusion.rows() == 0) return comparison;
  comparison.labels = classes.names;
  comparison.scores.push_back(stored_score("labelled rows", confusion));
  const std::vector<Index> sizes = class_sizes(communicator, classes, places);
  for (std::size_t c = model.classes.size(); c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    const auto known = other_spelling(classes.names[c], model.classes);
    comparison.warnings.push_back(fmt::format(
        "the model does not know the label '{}' of {} rows: they count as mistakes{}", classes.names[c], sizes[c],
        known ? fmt::format(". It knows '{}'; labels are compared as texts: write them alike", *known) : ""));
  }
  return comparison;
}

}  // namespace

TaskReport predict_classes(const PredictionInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const ClassifierFile model = read_classifier(communicator, input.model);
  std::optional<Predicted> predicted;
  if (model.features) {
    require_points(input, model.points->dimension);
    if (input.begin) input.begin({});
    with_precision(model.precision,
                   [&](auto number) { predicted.emplace(predict_points_as<decltype(number)>(input, model)); });
  } else {
    require_results(input);
    const std::string path = result_of_model(input, model.result);
    require_other_file(communicator, input.output, "the result of a model", path);
    if (input.begin) input.begin({path});
    with_precision(read_result_shape(communicator, path).precision,
                   [&](auto number) { predicted.emplace(predict_as<decltype(number)>(input, model, path)); });
  }
  const Comparison comparison = compare(communicator, model, *predicted);
  std::vector<std::string> warnings = comparison.warnings;
  warnings.insert(warnings.end(), predicted->out_of_sample.warnings.begin(), predicted->out_of_sample.warnings.end());
  input.format == "semeval" ? write_ranks(input, model, *predicted) : write_lines(model, *predicted);
  std::vector<StoredRanking> rankings;
  if (auto ranking = rank_classes(communicator, "labelled rows",
                                  {predicted->rows.rows(), predicted->scores, predicted->classes, model.classes},
                                  model.positive, predicted->rows.partition().range(communicator.rank()).begin,
                                  predicted->rows.labels(), predicted->texts.groups)) {
    rankings.push_back(std::move(*ranking));
  }
  const Index rows = predicted->rows.count();
  TaskReport report;
  const std::string& file = input.output.file;
  report.text.heading(
      fmt::format("{} rows, {} classes{}", grouped(rows), model.classes.size(), file.empty() ? "" : ", in " + file));
  report.metrics = {{"file", input.model},
                    {"out", input.output.file},
                    {"rows", rows},
                    {"classes", model.classes},
                    {"labels", comparison.labels},
                    {"scores", class_score_metrics(comparison.scores)},
                    {"rankings", ranking_metrics(rankings)},
                    {"warnings", warnings}};
  add_extension(report, predicted->out_of_sample.error);
  report.text.warnings(warnings);
  if (!file.empty() && input.format == "csv") report.text.notes(predicted->rows.notes());
  if (file.empty()) report.text.add(class_counts(communicator, model, *predicted));
  report.text.add(class_score_report(comparison.scores));
  if (!model.features && !comparison.scores.empty()) {
    report.text.notes(training_notes(input, model.result, model.training_rows, predicted->rows.partition().rows()));
  }
  if (!rankings.empty()) report.text.gap().add(ranking_report(rankings));
  for (const StoredClassScore& score : comparison.scores) {
    report.text.gap().add(confusion_report(score, comparison.labels));
  }
  report.text.gap();
  return report;
}

}  // namespace cairn
