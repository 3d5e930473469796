// cairn evaluate: the error of a result against K.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "command.hpp"
#include "context.hpp"
#include "evaluation/exact_error.hpp"
#include "exact_matrix.hpp"
#include "pipeline.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "row_comparison.hpp"
#include "similarity/columns.hpp"
#include "stored.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

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
ExactMatrix<T> exact_matrix_of(const Execution& execution, const Settings& settings,
                               const ResultDescription& description, const Data<T>& data, bool one_row) {
  const std::string kind = description.similarity;
  const bool from_data = kind == "matrix" || kind == "path-length" || kind == "geodesic";
  const SimilarityParameters parameters =
      from_data ? similarity_parameters(settings) : from_resolved(kind, description.similarity_parameters);
  // A hierarchy pays for many sources.
  std::string search = settings.text("similarity.search");
  if (one_row && data.graph != nullptr) search = data.graph->weighted() ? "dijkstra" : "breadth-first";
  return make_exact_matrix(execution, settings, data, search, parameters);
}

// K(row, own columns).
template <class T>
std::vector<double> exact_row(const Execution& execution, const ExactMatrix<T>& exact, Index row) {
  const ObjectSet& objects = *exact.objects;
  const auto own = static_cast<std::size_t>(objects.range().size());
  std::vector<double> values(own);
  if (exact.sources) {
    std::vector<double> whole(static_cast<std::size_t>(objects.size()));
    exact.sources->to_all(std::span(&row, 1), MatrixView<double>(whole.data(), 1, objects.size()));
    std::copy_n(whole.begin() + objects.range().begin, own, values.begin());
    return values;
  }
  const auto object = objects.gather(execution.communicator, std::span(&row, 1));
  const RowBlock<T> column =
      evaluate_columns(execution, *exact.entries, objects, *object, "similarities", "evaluate-row");
  for (std::size_t i = 0; i < own; ++i) values[i] = column.row(objects.range().begin + static_cast<Index>(i))[0];
  return values;
}

// The error over the matrix, and a sample of the spectrum where it is asked for.
template <class T>
nlohmann::ordered_json evaluate_matrix(Job& job, const Execution& execution, const Settings& settings,
                                       const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                       Index default_pairs) {
  const MeasuredError error = measure_error(execution, settings, approximation, exact, default_pairs);
  std::vector<double> spectrum;
  if (job.settings.given("spectrum")) {
    const Index count = std::min(job.settings.integer("spectrum"), exact.objects->size());
    spectrum = sample_spectrum(execution, *exact.entries, *exact.objects, count);
  }
  print(job.communicator, error_report(error.estimate, error.over) +
                              (error.symmetric ? symmetric_error_report(*error.symmetric) : "") +
                              (spectrum.empty() ? "" : spectrum_report(spectrum)));
  nlohmann::ordered_json json = {{"error_over", error.over}};
  json.update(error_json(error.estimate));
  if (error.symmetric) json["symmetric_relative_squared_error"] = error.symmetric->relative_squared_error;
  if (!spectrum.empty()) json["sample_spectrum"] = spectrum;
  return json;
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
  const bool one_row = job.settings.given("row");
  if (one_row) require_object(job.settings.integer("row"), stored.approximation.left.rows(), "row");
  const Scaling scaling{description.scaling, description.scaling_shift, description.scaling_factor};
  const Data<T> data = load_data<T>(execution, settings, &scaling);
  require_same_data(description, stored.approximation.left.rows(), data.digest, data.objects->size(), path,
                    "name its data with --data.path");
  const ExactMatrix<T> exact = exact_matrix_of(execution, settings, description, data, one_row);

  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["n"] = data.objects->size();
  if (one_row) {
    const Index row = job.settings.integer("row");
    json["row"] = compare_row(job, execution, stored.approximation, row, exact_row(execution, exact, row),
                              job.settings.required("out"));
  } else {
    json.update(evaluate_matrix(job, execution, settings, stored.approximation, exact,
                                default_probe_pairs(description.evaluations)));
  }
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, "\n" + phase_report(phases, total));
  json.update(phases_json(phases, total));
  json["peak_bytes"] = job.communicator.maximum(peak_resident_bytes());
  write_json(job, json);
}

// --row stands for itself.
void refuse_beside_row(const Settings& settings) {
  if (!settings.given("row")) {
    if (settings.given("out")) throw Error(ErrorKind::usage, "--out does nothing without --row");
    return;
  }
  settings.required("out");
  for (const char* name : {"evaluation.rows", "evaluation.pairs", "spectrum", "similarity.search"}) {
    if (settings.given(name)) throw Error(ErrorKind::usage, fmt::format("--{} does nothing beside --row", name));
  }
}

}  // namespace

void run_evaluate(Job& job) {
  refuse_beside_row(job.settings);
  check_output(job, "out");
  check_output(job, "json");
  const ResultDescription description = read_result_description(job.communicator, job.arguments.front());
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(description.precision, [&](auto number) { evaluate_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
