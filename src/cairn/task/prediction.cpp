#include "cairn/task/prediction.hpp"

#include "cairn/task/classification/class_prediction.hpp"
#include "cairn/task/gaussian/process_prediction.hpp"
#include "cairn/task/regression/value_prediction.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

TaskReport predict_rows(const PredictionInput& input) {
  require_other_file(input.execution.communicator, input.output, "the model", input.model);
  if (!input.rows.empty()) {
    require_other_file(input.execution.communicator, input.output, "the list of rows", input.rows);
  }
  switch (model_kind(input.execution.communicator, input.model)) {
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
