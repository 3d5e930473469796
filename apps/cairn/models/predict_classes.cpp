// cairn predict with a classifier: the classes of objects, compared with their labels where they have any.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/task/classification/classes.hpp"
#include "cairn/task/classification/classifier_report.hpp"
#include "cairn/task/classification/linear_classifier.hpp"
#include "commands/csv_file.hpp"
#include "models/model_commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/extension_error.hpp"
#include "report/job.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

std::string result_path(const Settings& settings, const ClassifierFile& model) {
  const std::vector<std::string> paths = settings.all("result");
  if (paths.size() > 1) {
    throw Error(ErrorKind::usage, fmt::format("--result is given {} times, and the file has one model", paths.size()));
  }
  return paths.empty() ? model.result : paths.front();
}

// What was predicted at this rank's rows.
struct Predicted {
  RowPartition partition;
  std::vector<std::string> labels;
  bool labelled = false;
  std::vector<Index> rows;  // global numbers
  std::vector<double> scores;
  std::vector<std::int32_t> classes;
  std::optional<ExtensionError> extension;  // if the rows are out-of-sample
  std::vector<std::string> warnings;        // about such rows
};

template <class T>
Predicted predict_as(Job& job, Context& context, const ClassifierFile& model, const std::string& path) {
  const Communicator& communicator = job.communicator;
  StoredResult<T> result = [&] {
    Phases::Scope phase = context.phases().enter("read");
    constexpr Index no_tiles = 0;  // predictions take the left factor alone
    return read_result<T>(communicator, path, no_tiles);
  }();
  const Factor<T>& left = result.approximation.left;
  Phases::Scope phase = context.phases().enter("predict");
  const std::uint64_t digest =
      basis_digest(communicator, result.approximation, result.description.similarity_parameters);
  if (digest != model.basis_digest || left.columns() != model.columns) {
    throw Error(ErrorKind::input,
                fmt::format("{} has not the factor that the model was trained on ({}), nor an extension "
                            "of it",
                            path, model.result));
  }
  Predicted predicted{left.partition(), std::move(result.labels), false, {}, {}, {}, {}, {}};
  predicted.warnings = extension_warnings(result.description, path);
  if (is_extension(result.description)) predicted.extension = extension_error(result.description);
  predicted.labelled = communicator.maximum(static_cast<Index>(predicted.labels.size())) > 0;
  if (job.settings.given("rows")) {
    predicted.rows = read_row_list(communicator, job.settings.text("rows"), predicted.partition);
  } else {
    for (Index i = left.range().begin; i < left.range().end; ++i) predicted.rows.push_back(i);
  }
  LinearClassifier classifier{{}, model.columns, model.coefficients, model.intercepts, 0};
  for (std::size_t c = 0; c < model.classes.size(); ++c) classifier.classes.push_back(static_cast<std::int32_t>(c));
  predicted.scores = class_scores(context.execution(), left, classifier, predicted.rows);
  predicted.classes = largest_classes(classifier, predicted.scores);
  return predicted;
}

void write_lines(const Job& job, const std::string& path, const ClassifierFile& model, const Predicted& predicted) {
  std::string heading = predicted.labelled ? "row,label,predicted" : "row,predicted";
  for (const std::string& name : model.classes) heading += "," + csv_field("score " + name);
  const Index first = predicted.partition.range(job.communicator.rank()).begin;
  const std::size_t width = model.classes.size();
  write_csv_lines(job.communicator, path, heading, predicted.partition.rows(), [&](Range window) {
    std::string text;
    const auto begin = std::lower_bound(predicted.rows.begin(), predicted.rows.end(), window.begin);
    for (auto row = begin; row != predicted.rows.end() && *row < window.end; ++row) {
      const auto at = static_cast<std::size_t>(row - predicted.rows.begin());
      text += fmt::format("{}", *row);
      if (predicted.labelled) text += "," + csv_field(predicted.labels[static_cast<std::size_t>(*row - first)]);
      text += "," + csv_field(model.classes[static_cast<std::size_t>(predicted.classes[at])]);
      for (std::size_t c = 0; c < width; ++c) text += fmt::format(",{:.17g}", predicted.scores[at * width + c]);
      text += '\n';
    }
    return text;
  });
}

// The predictions beside the labels, and sentences on labels that the model does not know. Nothing where there are
// none.
struct Comparison {
  std::vector<std::string> labels;
  std::vector<StoredClassScore> scores;
  std::vector<std::string> warnings;
};

Comparison compare(const Communicator& communicator, const ClassifierFile& model, const Predicted& predicted) {
  Comparison comparison;
  if (!predicted.labelled) return comparison;
  const auto found = find_classes(communicator, predicted.labels, model.classes);
  if (!found) {
    comparison.warnings.push_back(fmt::format(
        "the rows have more than {} different labels: these are values, and not compared with", most_classes));
    return comparison;
  }
  const Classes& classes = *found;
  std::vector<std::int32_t> truth;
  std::vector<Index> places;
  for (const Index row : predicted.rows) {
    places.push_back(row - predicted.partition.range(communicator.rank()).begin);
    truth.push_back(classes.own[static_cast<std::size_t>(places.back())]);
  }
  const Confusion confusion = confusion_of(communicator, classes.count(), truth, predicted.classes);
  if (confusion.rows() == 0) return comparison;
  comparison.labels = classes.names;
  comparison.scores.push_back(stored_score("labelled rows", confusion));
  const std::vector<Index> sizes = class_sizes(communicator, classes, places);
  for (std::size_t c = model.classes.size(); c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    comparison.warnings.push_back(fmt::format(
        "the model does not know the label '{}' of {} rows: they count as mistakes", classes.names[c], sizes[c]));
  }
  return comparison;
}

}  // namespace

void predict_classes(Job& job) {
  const ClassifierFile model = read_classifier(job.communicator, job.arguments.front());
  const std::string path = result_path(job.settings, model);
  const std::string& out = job.settings.text("out");
  require_other_file(job, "--out", out, "the result of a model", path);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  Context context(job.communicator, job.settings);
  Predicted predicted;
  with_precision(read_result_shape(job.communicator, path).precision,
                 [&](auto number) { predicted = predict_as<decltype(number)>(job, context, model, path); });
  Comparison comparison = compare(job.communicator, model, predicted);
  std::ranges::move(predicted.warnings, std::back_inserter(comparison.warnings));
  {
    Phases::Scope phase = context.phases().enter("write");
    write_lines(job, out, model, predicted);
  }
  const Index rows = job.communicator.sum(static_cast<Index>(predicted.rows.size()));
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  std::string text = fmt::format("  {} rows, {} classes, in {}\n", grouped(rows), model.classes.size(), out);
  if (predicted.extension) text += extension_report(*predicted.extension, "the result extended");
  text += warning_lines(comparison.warnings);
  text += text_of(class_score_report(comparison.scores));
  for (const StoredClassScore& score : comparison.scores)
    text += "\n" + text_of(confusion_report(score, comparison.labels));
  print(job.communicator, text + "\n" + phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update({{"file", job.arguments.front()},
               {"out", out},
               {"rows", rows},
               {"classes", model.classes},
               {"labels", comparison.labels},
               {"scores", json_of(class_score_figures(comparison.scores))},
               {"warnings", comparison.warnings}});
  if (predicted.extension) json.update(extension_json(*predicted.extension));
  json.update(phases_json(phases, total));
  write_json(job, json);
}

}  // namespace cairn::app
