#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/files/process_file.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/precision.hpp"
#include "cairn/task/extension_report.hpp"
#include "cairn/task/gaussian/process_features.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

// Predictions for this rank's rows, one list per target.
struct Predicted {
  PredictedRows rows;
  std::vector<std::vector<Normal>> distributions{};
  OutOfSample out_of_sample{};
};

template <class T>
Predicted predict_as(const PredictionInput& input, const ProcessFile& model, const std::string& path) {
  const Communicator& communicator = input.execution.communicator;
  const StoredResult<T> result = read_for_prediction<T>(input, path);
  const Factor<T>& left = result.approximation.left;
  Phases::Scope phase = input.execution.phases.enter("predict");
  const auto digests = digests_of_columns(communicator, result.approximation, result.description);
  require_basis(path, digests, left.columns(), {model.basis_digest, model.columns, "the model", model.result});
  Predicted predicted{.rows =
                          PredictedRows(input, left.partition(), result.labels, result.numbers, names_beside(result))};
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

void write_lines(const ProcessFile& model, const Predicted& predicted) {
  std::string heading;
  for (const StoredProcess& process : model.processes) {
    heading += next_csv_field(process.target) + next_csv_field(fmt::format("sd {}", process.target));
  }
  predicted.rows.write(heading, [&](std::size_t at) {
    std::string fields;
    for (const std::vector<Normal>& target : predicted.distributions) {
      fields += fmt::format(",{:.17g},{:.17g}", target[at].mean, target[at].standard_deviation);
    }
    return fields;
  });
}

}  // namespace

TaskReport predict_distributions(const PredictionInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const ProcessFile model = read_process(communicator, input.model);
  const std::string path = result_of_model(input, model.result);
  require_other_file(communicator, input.output, "the result of a model", path);
  if (input.begin) input.begin({path});
  std::optional<Predicted> predicted;
  with_precision(read_result_shape(communicator, path).precision,
                 [&](auto number) { predicted.emplace(predict_as<decltype(number)>(input, model, path)); });
  write_lines(model, *predicted);
  std::vector<std::string> targets;
  for (const StoredProcess& process : model.processes) targets.push_back(process.target);
  const Index rows = predicted->rows.count();
  TaskReport report;
  report.text.heading(fmt::format("{} rows, {} target{} with standard deviations, in {}", grouped(rows), targets.size(),
                                  targets.size() == 1 ? "" : "s", input.output.file));
  report.metrics = {{"file", input.model}, {"out", input.output.file}, {"rows", rows}, {"targets", targets}};
  add_extension(report, predicted->out_of_sample.error);
  report.text.notes(predicted->rows.notes()).warnings(predicted->out_of_sample.warnings).gap();
  report.metrics.emplace_back("warnings", predicted->out_of_sample.warnings);
  return report;
}

}  // namespace cairn
