// cairn evaluate: the error of a result against K.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "command.hpp"
#include "context.hpp"
#include "evaluation/exact_error.hpp"
#include "pipeline.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "similarity/make_similarity.hpp"
#include "stored.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

void check_digest(const ResultDescription& description, std::uint64_t digest, Index rows, Index stored_rows,
                  const std::string& path) {
  if (rows != stored_rows) {
    throw Error(ErrorKind::input, fmt::format("the data have {} objects, {} was made from {}; name its data with "
                                              "--data.path",
                                              grouped(rows), path, grouped(stored_rows)));
  }
  if (digest != description.data_digest) {
    throw Error(ErrorKind::input,
                fmt::format("the data are not those that {} was made from (their digests differ); name its data with "
                            "--data.path",
                            path));
  }
}

std::string spectrum_report(const std::vector<double>& spectrum) {
  double negative = 0, all = 0;
  for (const double value : spectrum) {
    all += value * value;
    if (value < 0) negative += value * value;
  }
  return fmt::format(
      "  spectrum of a sample        largest {:.4g}, least {:.4g}; negative eigenvalues hold {:.3g} % of the squared "
      "norm\n",
      spectrum.back(), spectrum.front(), all > 0 ? 100 * negative / all : 0.0);
}

template <class T>
void evaluate_as(Job& job, const ResultDescription& description) {
  const std::string& path = job.arguments.front();
  Settings settings = stored_settings(description, path, job.settings);
  refuse_idle_keys(settings, {similarity_kind(settings)}, {method_name(settings)});
  const auto stored_seed = static_cast<std::uint64_t>(stored_number(description, "seed"));
  // The next seed: a probe of its own, not the one in the file.
  const auto seed =
      job.settings.given("run.seed") ? static_cast<std::uint64_t>(job.settings.integer("run.seed")) : stored_seed + 1;
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")), seed);
  const Execution& execution = context.execution();

  const StoredResult<T> stored = [&] {
    const auto phase = execution.phases.enter("read result");
    return read_result<T>(job.communicator, path);
  }();
  const Scaling scaling{description.scaling, description.scaling_shift, description.scaling_factor};
  const Data<T> data = load_data<T>(execution, settings, &scaling);
  check_digest(description, data.digest, data.objects->size(), stored.approximation.left.rows(), path);

  SimilarityParameters parameters = from_resolved(description.similarity, description.similarity_parameters);
  if (parameters.kind == "matrix") parameters = similarity_parameters(settings);
  const auto similarity = make_similarity<T>(execution, parameters, *data.objects);

  const ErrorEstimate error = measure_error(execution, settings, stored.approximation, *similarity, *data.objects,
                                            default_probe_pairs(description.evaluations));
  std::vector<double> spectrum;
  if (job.settings.given("spectrum")) {
    const Index count = std::min(job.settings.integer("spectrum"), data.objects->size());
    spectrum = sample_spectrum(execution, *similarity, *data.objects, count);
  }
  const std::string over = settings.given("evaluation.rows") ? "rows" : "pairs";
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, error_report(error, over) + (spectrum.empty() ? "" : spectrum_report(spectrum)) + "\n" +
                              phase_report(phases, total));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["n"] = data.objects->size();
  json["error_over"] = over;
  json.update(error_json(error));
  if (!spectrum.empty()) json["sample_spectrum"] = spectrum;
  json.update(phases_json(phases, total));
  json["peak_bytes"] = job.communicator.maximum(peak_resident_bytes());
  write_json(job, json);
}

}  // namespace

void run_evaluate(Job& job) {
  check_output(job, "json");
  const ResultDescription description = read_result_description(job.communicator, job.arguments.front());
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(description.precision, [&](auto number) { evaluate_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
