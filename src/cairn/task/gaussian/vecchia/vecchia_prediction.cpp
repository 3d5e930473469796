#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/points/point_set.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/gaussian/predicted_distributions.hpp"
#include "cairn/task/gaussian/process_features.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_fit.hpp"
#include "cairn/task/gaussian/vecchia/vecchia_training.hpp"

namespace cairn {

namespace {

// Predictions of all targets for rows whose features are `own`, rows x columns. Collective.
std::vector<std::vector<Normal>> predict_targets(const Execution& execution, const VecchiaFile& model,
                                                 const std::vector<double>& own) {
  VecchiaRows rows{.points = {.coordinates = model.rows.share(),
                              .keys = NodeArray<std::uint64_t>(execution.communicator, model.training_rows()),
                              .columns = model.columns},
                   .center = model.center,
                   .unit = model.unit,
                   .one_length = model.one_length()};
  if (rows.points.keys.node().is_root()) std::ranges::fill(rows.points.keys.writable(), 0);  // no order
  rows.points.keys.publish();
  std::vector<std::vector<Normal>> all;
  for (std::size_t t = 0; t < model.processes.size(); ++t) {
    const StoredVecchiaProcess& process = model.processes[t];
    const VecchiaPredictor predictor(execution, rows, model.targets[t], standardized_covariance(model, process),
                                     process.coefficients, model.neighbors);
    all.push_back(predictor.predict(own));
    for (Normal& one : all.back()) {
      one = {process.mean + process.scale * one.mean, process.scale * one.standard_deviation};
    }
  }
  return all;
}

template <class T>
PredictedDistributions predict_points_as(const PredictionInput& input, const VecchiaFile& model) {
  const Execution& execution = input.execution;
  const Data<T> data = read_new_points<T>(input, *model.points);
  const auto phase = execution.phases.enter("predict");
  const PointSet<T>& points = *data.points();
  PredictedDistributions predicted{.rows = PredictedRows(input, points.partition(), data.objects->labels(),
                                                         data.numbers.of(points.range()),
                                                         names_beside(texts_of(*data.objects)))};
  const std::vector<double> own = collectively(execution.communicator, [&] {
    const auto width = static_cast<std::size_t>(model.columns);
    const std::vector<Index>& rows = predicted.rows.rows();
    std::vector<double> values(rows.size() * width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      points.template copy_point<double>(rows[r], std::span(values).subspan(r * width, width));
    }
    return values;
  });
  predicted.distributions = predict_targets(execution, model, own);
  return predicted;
}

template <class T>
PredictedDistributions predict_factors_as(const PredictionInput& input, const VecchiaFile& model,
                                          const std::string& path) {
  const Communicator& communicator = input.execution.communicator;
  const StoredResult<T> result = read_for_prediction<T>(input, path);
  const Factor<T>& left = result.approximation.left;
  const auto phase = input.execution.phases.enter("predict");
  const auto digests = digests_of_columns(communicator, result.approximation, result.description);
  require_basis(path, digests, left.columns(), {model.basis_digest, model.columns, "the model", model.result});
  PredictedDistributions predicted{
      .rows = PredictedRows(input, left.partition(), result.labels, result.numbers, names_beside(result))};
  predicted.out_of_sample.add(result.description, path);
  const std::vector<double> own = collectively(communicator, [&] { return dense_rows(left, predicted.rows.rows()); });
  predicted.distributions = predict_targets(input.execution, model, own);
  return predicted;
}

}  // namespace

TaskReport predict_by_neighbors(const PredictionInput& input) {
  const Communicator& communicator = input.execution.communicator;
  if (input.output.file.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} is required: the predictions of the model {} are written",
                                              input.output.name, input.model));
  }
  const VecchiaFile model = read_vecchia(communicator, input.model);
  std::optional<PredictedDistributions> predicted;
  if (model.points) {
    require_points(input, model.columns);
    if (input.begin) input.begin({});
    with_precision(model.precision,
                   [&](auto number) { predicted.emplace(predict_points_as<decltype(number)>(input, model)); });
  } else {
    require_results(input);
    const std::string path = result_of_model(input, model.result);
    require_other_file(communicator, input.output, "the result of a model", path);
    if (input.begin) input.begin({path});
    with_precision(read_result_shape(communicator, path).precision,
                   [&](auto number) { predicted.emplace(predict_factors_as<decltype(number)>(input, model, path)); });
  }
  std::vector<std::string> targets;
  for (const StoredVecchiaProcess& process : model.processes) targets.push_back(process.target);
  return report_distributions(input, *predicted, targets);
}

}  // namespace cairn
