#include "cairn/task/prediction.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/task/predicted_rows.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

std::vector<Parameter> prediction_parameters() {
  using enum ValueType;
  return {
      {.name = "result",
       .value = "FILE",
       .type = input_path,
       .help = "The result whose rows are predicted; of an ensemble one for each model, in their order, or one for "
               "all. By default those that the models were trained on.",
       .repeatable = true},
      {.name = "rows",
       .value = "FILE",
       .type = input_path,
       .help = "Predict only these rows: numbers from 0, one per line."},
      {.name = "out",
       .value = "FILE",
       .type = output_path,
       .help = "The file that is written: row, label if there are any, number where rows have other numbers in the "
               "file of the data (both from 0; without labels, label is that number), then the targets; of Gaussian "
               "processes and regressions with variances after each target TARGET its standard deviation, sd TARGET; "
               "of a classifier the predicted class and the score of each class; and name, if rows have one beside the "
               "label (the file of a text)."},
      {.name = "format",
       .value = "NAME",
       .type = choice,
       .fallback = "csv",
       .help = "csv, or semeval: a line for each row of a group, without heading, with tabs between its group, its "
               "identifier (without one its row number), 0, the score of the positive label, and true if that is "
               "predicted, else false, as the scorer of SemEval 2016, task 3 reads it.",
       .choices = {"csv", "semeval"}}};
}

void require_points(const PredictionInput& input, Index dimension) {
  if (!input.results.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect: the model {} takes points", input.keys("result"), input.model));
  }
  if (!input.points) {
    throw Error(ErrorKind::usage, fmt::format("the model {} takes points with {} coordinates: say which file has them",
                                              input.model, dimension));
  }
}

void require_results(const PredictionInput& input) {
  if (input.points) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} has no effect: the model {} takes rows of a result. Make one of new objects with cairn extend, "
                    "and name it with {}",
                    input.points->where("path"), input.model, input.keys("result")));
  }
  if (input.output.file.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} is required: the model {} takes rows of a result, and its "
                                              "predictions are written",
                                              input.output.name, input.model));
  }
}

TaskReport predict_rows(const PredictionInput& input) {
  if (!input.output.file.empty()) {
    require_other_file(input.execution.communicator, input.output, "the model", input.model);
  }
  if (!input.rows.empty() && !input.output.file.empty()) {
    require_other_file(input.execution.communicator, input.output, "the list of rows", input.rows);
  }
  const ModelKind kind = model_kind(input.execution.communicator, input.model);
  if (kind != ModelKind::classes && input.format != "csv") {
    throw Error(ErrorKind::usage, fmt::format("{} = {} is for ranks of classifiers: the model {} predicts values",
                                              input.keys("format"), input.format, input.model));
  }
  switch (kind) {
    case ModelKind::classes:
      return predict_classes(input);
    case ModelKind::distributions:
      return predict_distributions(input);
    case ModelKind::values:
    case ModelKind::none:  // refused by model_kind
      break;
  }
  return predict_values(input);
}

}  // namespace cairn
