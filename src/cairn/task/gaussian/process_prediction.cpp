#include <algorithm>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/store/files/process_file.hpp"
#include "cairn/store/files/vecchia_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/gaussian/predicted_distributions.hpp"
#include "cairn/task/gaussian/process_features.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

template <class T>
PredictedDistributions predict_as(const PredictionInput& input, const ProcessFile& model, const std::string& path) {
  const Communicator& communicator = input.execution.communicator;
  const StoredResult<T> result = read_for_prediction<T>(input, path);
  const Factor<T>& left = result.approximation.left;
  Phases::Scope phase = input.execution.phases.enter("predict");
  const auto digests = digests_of_columns(communicator, result.approximation, result.description);
  require_basis(path, digests, left.columns(), {model.basis_digest, model.columns, "the model", model.result});
  PredictedDistributions predicted{
      .rows = PredictedRows(input, left.partition(), result.labels, result.numbers, names_beside(result))};
  predicted.out_of_sample.add(result.description, path);
  const MatrixView<const double> known(model.features.data(), model.training_rows(), model.columns);
  const auto targets = static_cast<Index>(model.processes.size());
  for (std::size_t t = 0; t < model.processes.size(); ++t) {
    const StoredProcess& one = model.processes[t];
    const GaussianProcess process = collectively(communicator, [&] {
      return GaussianProcess(known, centered(model.values, targets, static_cast<Index>(t), one.mean),
                             {.sigma = one.sigma, .length = one.length, .noise = one.noise}, input.execution.threads);
    });
    predicted.distributions.push_back(predict(input.execution, process, left, predicted.rows.rows()));
    for (Normal& distribution : predicted.distributions.back()) distribution.mean += one.mean;
  }
  return predicted;
}

}  // namespace

TaskReport predict_distributions(const PredictionInput& input) {
  const Communicator& communicator = input.execution.communicator;
  if (is_vecchia_file(communicator, input.model)) return predict_by_neighbors(input);
  require_results(input);
  const ProcessFile model = read_process(communicator, input.model);
  const std::string path = result_of_model(input, model.result);
  require_other_file(communicator, input.output, "the result of a model", path);
  if (input.begin) input.begin({path});
  std::optional<PredictedDistributions> predicted;
  with_precision(read_result_shape(communicator, path).precision,
                 [&](auto number) { predicted.emplace(predict_as<decltype(number)>(input, model, path)); });
  std::vector<std::string> targets;
  for (const StoredProcess& process : model.processes) targets.push_back(process.target);
  return report_distributions(input, *predicted, targets);
}

}  // namespace cairn
