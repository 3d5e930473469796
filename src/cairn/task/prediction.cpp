#include "cairn/task/prediction.hpp"

#include "cairn/task/classification/class_prediction.hpp"
#include "cairn/task/regression/value_prediction.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

TaskReport predict_rows(const PredictionInput& input) {
  require_other_file(input.execution.communicator, input.output, "the model", input.model);
  if (!input.rows.empty()) {
    require_other_file(input.execution.communicator, input.output, "the list of rows", input.rows);
  }
  const ModelKind kind = model_kind(input.execution.communicator, input.model);
  return kind == ModelKind::classes ? predict_classes(input) : predict_values(input);
}

}  // namespace cairn
