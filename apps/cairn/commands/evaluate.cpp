// cairn evaluate: the error of a result against K, or what its vectors of words say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/base/error.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/run/computation/result_answers.hpp"
#include "cairn/store/result/extension.hpp"
#include "commands/commands.hpp"
#include "commands/field_output.hpp"
#include "commands/pair_evaluation.hpp"
#include "commands/row_choice.hpp"
#include "commands/row_comparison.hpp"
#include "commands/word_evaluation.hpp"
#include "keys/idle_keys.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/stored.hpp"
#include "report/report.hpp"

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

// A hierarchy pays for many sources.
template <class T>
std::string search_of(const Data<T>& data, bool one_row) {
  const auto* graph = data.template as<Graph>();
  if (!one_row || graph == nullptr) return {};
  return graph->weighted() ? "dijkstra" : "breadth-first";
}

// Root mean squares over the compared rows.
std::vector<Field> fields_of(const VertexErrors& errors, Index rows, const std::string& unit) {
  const std::size_t own = errors.squared_error.size();
  std::vector<double> error(own), relative(own);
  for (std::size_t v = 0; v < own; ++v) {
    error[v] = std::sqrt(errors.squared_error[v] / static_cast<double>(rows)) / errors.factor;
    relative[v] = errors.squared_norm[v] > 0 ? std::sqrt(errors.squared_error[v] / errors.squared_norm[v]) : 0.0;
  }
  const std::string over = fmt::format("error by vertex over {} rows", grouped(rows));
  return {{"error", "root mean square " + over, unit, FieldScale::logarithmic, -1, std::move(error)},
          {"relative_error", "relative " + over, "", FieldScale::logarithmic, -1, std::move(relative)}};
}

// What files of fields show beside them, if one of the options names such a file.
template <class T>
FieldSet shape_of(const Job& job, const Execution& execution, const Data<T>& data,
                  const Approximation<T>& approximation) {
  FieldSet set;
  if (!wants_geometry(job.settings, "out") && !wants_geometry(job.settings, "by-vertex")) return set;
  set.geometry = geometry_of(execution, data, job.settings.text("positions"));
  if (approximation.left_origin) set.landmarks = approximation.left_origin->indices;
  return set;
}

// The error over the matrix, and a sample of the spectrum where it is asked for.
template <class T>
nlohmann::ordered_json evaluate_matrix(Job& job, const Execution& execution, const RunRequest& request,
                                       const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                       VertexErrors* by_vertex) {
  const std::string off = no_estimate(request);
  constexpr double no_limit = std::numeric_limits<double>::infinity();  // the error is what the command is for
  std::optional<MeasuredError> error;
  if (off.empty()) error = measure_error(execution, request, approximation, exact, no_limit, by_vertex);
  std::vector<double> spectrum;
  if (job.settings.given("spectrum")) {
    const Index count = std::min(job.settings.integer("spectrum"), exact.objects->size());
    spectrum = sample_spectrum(execution, *exact.entries, *exact.objects, count);
  }
  print_result(job.communicator, (error ? error_report(error->estimate, error->over) : no_error_report(off)) +
                                     (error && error->symmetric ? symmetric_error_report(*error->symmetric) : "") +
                                     (error ? mean_ratio_report(error->estimate) : "") +
                                     (spectrum.empty() ? "" : spectrum_report(spectrum)));
  nlohmann::ordered_json json = error ? error_json(error->estimate, error->over) : no_error_json();
  if (error) json["mean_squared_ratio"] = error->estimate.mean_squared_ratio;
  if (error && error->symmetric) {
    json["symmetric_relative_squared_error"] = error->symmetric->relative_squared_error;
  }
  if (!spectrum.empty()) json["sample_spectrum"] = spectrum;
  return json;
}

// Whether K comes from the result itself: unless keys say where it comes from, or a picture shows the data.
bool takes_kept_hierarchy(const Settings& given, const ResultShape& shape) {
  if (!shape.has_hierarchy() || given.given("similarity.search")) return false;
  if (wants_geometry(given, "out") || wants_geometry(given, "by-vertex")) return false;
  return std::ranges::none_of(given.known_names(),
                              [&](const std::string& name) { return name.starts_with("data.") && given.given(name); });
}

// What needs a K of the same objects in rows and columns.
void refuse_square_options(const Settings& settings) {
  for (const char* name : {"pairs", "spectrum", "by-vertex"}) {
    if (!settings.given(name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} has no effect if the columns of K stand for other objects than its rows", name));
  }
}

// Of K~, with the exact entries that are kept. Collective.
template <class T>
std::vector<double> stored_row(const Execution& execution, const Approximation<T>& approximation,
                               const NearEntries<T>* near, Index row) {
  std::vector<double> values = approximate_row(execution, approximation, row);
  if (near != nullptr) add_near_row(execution.communicator, *near, row, std::span(values));
  return values;
}

// What exact entries of near objects are worth. Collective.
template <class T>
nlohmann::ordered_json evaluate_near(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                     const Approximation<T>& approximation, const NearEntries<T>& near) {
  const NearFindings found = near_findings(execution, data, exact, approximation, near);
  nlohmann::ordered_json json;
  for (const std::string& note : found.notes) print_result(execution.communicator, fmt::format("  {}\n", note));
  for (const auto& [name, value] : found.figures) json[name] = value;
  return json;
}

// One row, or the whole matrix, as the options ask.
template <class T>
nlohmann::ordered_json compare(Job& job, const Execution& execution, const Settings& settings,
                               const RunRequest& request, const ResultDescription& description,
                               const StoredResult<T>& stored, const Data<T>& data, const RowNames& names) {
  const Approximation<T>& approximation = stored.approximation;
  const bool one_row = job.settings.given("row");
  FieldSet shape = shape_of(job, execution, data, approximation);
  const auto* numbers = data.kind == nullptr ? data.template as<NumberedObjects>() : nullptr;
  const ExactMatrix<T> exact = numbers != nullptr ? kept_path_lengths<T>(execution, job.arguments.front(), *numbers)
                                                  : stored_exact_matrix(execution, settings, request, description, data,
                                                                        search_of(data, one_row));
  if (exact.right != nullptr) refuse_square_options(job.settings);
  if (job.settings.given("pairs")) return {{"pairs", evaluate_pairs(job, execution, approximation, exact)}};
  if (job.settings.given("by-vertex") && !exact.sources) {
    throw Error(ErrorKind::usage, fmt::format("--by-vertex needs whole rows of the matrix, and {} comes by pairs",
                                              description.similarity));
  }
  const auto near = read_near_entries<T>(job.communicator, job.arguments.front());
  const std::string unit = unit_of(request, data);
  if (one_row) {
    const Index row = find_rows(names, job.settings, "row", {job.settings.text("row")}).front();
    return {{"row", compare_row(job, execution, approximation.right_factor().partition(), row,
                                exact_row(execution, exact, row), stored_row(execution, approximation, near.get(), row),
                                unit, std::move(shape), names,
                                exact.right != nullptr ? column_names(job.communicator, stored) : names)}};
  }
  const bool vertices = job.settings.given("by-vertex");
  if (vertices && !no_estimate(request).empty()) {
    throw Error(ErrorKind::usage, fmt::format("--by-vertex needs compared rows, and {}", no_estimate(request)));
  }
  VertexErrors by_vertex;
  nlohmann::ordered_json json =
      evaluate_matrix(job, execution, request, approximation, exact, vertices ? &by_vertex : nullptr);
  if (near && no_estimate(request).empty()) json.update(evaluate_near(execution, data, exact, approximation, *near));
  if (vertices) {
    const auto rows = json.at("probe_diagonal").get<Index>();
    const std::string written = write_field_output(job, execution, "by-vertex", data.objects->partition(), "vertex",
                                                   fields_of(by_vertex, rows, unit), std::move(shape), names);
    print_result(job.communicator, fmt::format("  error by vertex             in {}\n", written));
    json["by_vertex"] = job.settings.text("by-vertex");
  }
  return json;
}

template <class T>
void evaluate_as(Job& job, const ResultDescription& description) {
  const std::string& path = job.arguments.front();
  const Settings settings = stored_settings(description, path, job.settings);
  const RunRequest request = checked_request(settings);
  const auto stored_seed = static_cast<std::uint64_t>(stored_number(description, "seed"));
  // The next seed: a probe of its own, not the one in the file.
  const auto seed =
      job.settings.given("run.seed") ? static_cast<std::uint64_t>(job.settings.integer("run.seed")) : stored_seed + 1;
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")), seed);
  const Execution& execution = context.execution();

  StoredResult<T> stored = [&] {
    const auto phase = execution.phases.enter("read result");
    return read_result<T>(job.communicator, path, most_tile_bytes(job.communicator, memory_of(job.settings), path));
  }();
  const Index n = stored.approximation.left.rows();
  if (stored.approximation.rectangular && is_extension(description)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has new rows of one factor: approximate both to compare with K", path));
  }
  const RowNames names(job.communicator, stored.approximation.left.partition(), std::move(stored.labels),
                       std::move(stored.numbers), std::move(stored.texts));
  if (job.settings.given("row"))
    (void)find_rows(names, job.settings, "row", {job.settings.text("row")});  // before the data
  const bool kept = takes_kept_hierarchy(job.settings, read_result_shape(job.communicator, path));
  const Data<T> data =
      kept ? vertices_alone<T>(job.communicator, n) : load_stored_data<T>(execution, request, description, path, n);
  if (kept)
    print(job.communicator, "  exact lengths               from the hierarchy in the result; no data are read\n");

  nlohmann::ordered_json json = header_json(job, execution.threads);
  json["file"] = path;
  json["n"] = n;
  json["data_read"] = !kept;
  json.update(compare(job, execution, settings, request, description, stored, data, names));
  if (names.numbered() && (job.settings.given("row") || job.settings.given("by-vertex"))) {
    print(job.communicator, fmt::format("  note: {}\n", note_of_numbers()));
  }
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  print(job.communicator, "\n" + phase_report(phases, total));
  json.update(phases_json(phases, total));
  json["peak_bytes"] = job.communicator.maximum(peak_resident_bytes());
  write_json(job, json);
}

// Options beside one that stands for itself.
void refuse_beside(const Settings& settings, const std::string& option, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!settings.given(name)) continue;
    throw Error(ErrorKind::usage, fmt::format("--{} has no effect beside --{}", name, option));
  }
}

void refuse_beside_pairs(const Settings& settings) {
  if (!settings.given("pairs")) {
    if (!settings.given("threshold-pairs")) return;
    throw Error(ErrorKind::usage, "--threshold-pairs has no effect without --pairs");
  }
  refuse_beside(settings, "pairs",
                {"evaluation.rows", "evaluation.pairs", "evaluation.precision", "evaluation.seconds", "spectrum",
                 "by-vertex", "row", "run.seed"});
}

void refuse_beside_row(const Settings& settings) {
  if (!settings.given("row")) {
    if (settings.given("out")) throw Error(ErrorKind::usage, "--out has no effect without --row");
    return;
  }
  settings.required("out");
  refuse_beside(settings, "row",
                {"evaluation.rows", "evaluation.pairs", "evaluation.precision", "evaluation.seconds", "spectrum",
                 "similarity.search", "by-vertex", "run.seed"});
}

}  // namespace

void check_evaluate(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  if (evaluates_words(settings)) return check_word_evaluation(settings);
  refuse_beside_row(settings);
  check_naming(settings, {"row"});
  refuse_beside_pairs(settings);
  refuse_idle_positions(settings, {"out", "by-vertex"});
}

void run_evaluate(Job& job) {
  check_field_output(job, "out");
  check_field_output(job, "by-vertex");
  check_output(job, "json");
  const ResultDescription description = read_result_description(job.communicator, job.arguments.front());
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  if (evaluates_words(job.settings)) return evaluate_words(job, description);
  with_precision(description.precision, [&](auto number) { evaluate_as<decltype(number)>(job, description); });
}

}  // namespace cairn::app
