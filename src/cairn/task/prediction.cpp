#include "cairn/task/prediction.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/task/classification/class_prediction.hpp"
#include "cairn/task/gaussian/process_prediction.hpp"
#include "cairn/task/predicted_rows.hpp"
#include "cairn/task/regression/value_prediction.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

void require_results(const PredictionInput& input) {
  if (input.points) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect: the model {} takes rows of a result",
                                              input.points->where("path"), input.model));
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
  if (kind != ModelKind::classes) require_results(input);
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
