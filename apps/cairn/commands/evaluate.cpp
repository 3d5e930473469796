// cairn evaluate: the error of a result against K, or an evaluation of its word vectors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "cairn/approximation/approximate_row.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/points/column_option.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/evaluation/pair_scores.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/answers/result_answers.hpp"
#include "cairn/run/computation/compared_pairs.hpp"
#include "cairn/run/computation/near_step.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/tile_budget.hpp"
#include "commands/commands.hpp"
#include "commands/field_output.hpp"
#include "commands/row_choice.hpp"
#include "commands/row_comparison.hpp"
#include "commands/word_evaluation.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/job.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// Compares K~ and K with given scores of pairs.

nlohmann::ordered_json number_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "undefined";
}

nlohmann::ordered_json scores_json(const PairScores& found, double sign) {
  nlohmann::ordered_json json = {{"pearson", number_json(found.pearson)}, {"spearman", number_json(found.spearman)}};
  if (!found.decisions) return json;
  json["f1"] = found.decisions->f1;
  json["f1_threshold"] = number_json(sign * found.decisions->f1_threshold);
  json["accuracy"] = found.decisions->accuracy;
  json["accuracy_threshold"] = number_json(sign * found.decisions->accuracy_threshold);
  return json;
}

std::vector<std::string> cells(const std::string& name, const PairScores& found, double sign) {
  std::vector<std::string> row = {name, number_text(found.pearson), number_text(found.spearman)};
  if (!found.decisions) return row;
  const Decisions& d = *found.decisions;
  row.insert(row.end(), {fmt::format("{:.4f}", d.f1), fmt::format("{:.4g}", sign * d.f1_threshold),
                         fmt::format("{:.4f}", d.accuracy), fmt::format("{:.4g}", sign * d.accuracy_threshold)});
  return row;
}

// Compares K~ and K with the scores of --pairs, prints and returns the results. Every rank stores all pairs: 40 bytes
// each.
// @throws Error(input) for pairs of rows that do not exist; as read_columns. Collective.
template <class T>
nlohmann::ordered_json evaluate_pairs(const Job& job, const Execution& execution, const Approximation<T>& approximation,
                                      const ExactMatrix<T>& exact) {
  Phases::Scope phase = execution.phases.enter("pairs");
  const Index before = exact.evaluations();
  const ScoredPairs pairs =
      read_pairs(execution, column_source(job.settings.text("pairs"), data_keys), approximation, exact);
  std::optional<ScoredPairs> others;
  if (job.settings.given("threshold-pairs")) {
    others =
        read_pairs(execution, column_source(job.settings.text("threshold-pairs"), data_keys), approximation, exact);
    if (!pairs.binary() || !others->binary()) {
      throw Error(ErrorKind::input, "--threshold-pairs goes with scores that are all 0 or 1, in both files");
    }
  }
  const Index own = exact.evaluations() - before;
  phase.count_evaluations(own);
  const Index evaluations = job.communicator.sum(own);
  const double sign = approximation.meaning == Meaning::distance ? -1.0 : 1.0;
  const PairScores approximate = score(pairs, others, &ScoredPairs::approximate);
  const PairScores itself = score(pairs, others, &ScoredPairs::exact);
  const bool decided = approximate.decisions.has_value();
  const std::string thresholds = !decided ? "" : others ? "those of --threshold-pairs" : "the first half of the pairs";
  std::vector<std::vector<std::string>> rows = {{"", "Pearson", "Spearman"}};
  if (decided) rows.front().insert(rows.front().end(), {"F1", "at", "accuracy", "at"});
  rows.push_back(cells("K~", approximate, sign));
  rows.push_back(cells("K", itself, sign));
  std::string text = fmt::format("  pairs                       {}, {} evaluations of K\n",
                                 grouped(static_cast<Index>(pairs.scores.size())), grouped(evaluations));
  if (decided) {
    text += fmt::format("  thresholds                  best on {}; F1 and accuracy are of {}\n", thresholds,
                        others ? "all pairs" : "the second half");
  }
  if (sign < 0) text += "  correlations                of distances with their signs changed\n";
  print_result(job.communicator, text + "\n" + table(rows));
  nlohmann::ordered_json json = {{"count", pairs.scores.size()},
                                 {"evaluations", evaluations},
                                 {"approximate", scores_json(approximate, sign)},
                                 {"exact", scores_json(itself, sign)}};
  if (decided) json["thresholds_from"] = others ? "threshold-pairs" : "first-half";
  return json;
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

// Building a hierarchy pays off for many sources.
template <class T>
std::string search_of(const Data<T>& data, bool one_row) {
  const auto* graph = data.template as<Graph>();
  if (!one_row || graph == nullptr) return {};
  return graph->weighted() ? "dijkstra" : "breadth-first";
}

// Root mean squares over the compared rows, as fields.
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

// Geometry for files of fields, if one of the options names such a file.
template <class T>
FieldSet shape_of(const Job& job, const Execution& execution, const Data<T>& data,
                  const Approximation<T>& approximation) {
  FieldSet set;
  if (!wants_geometry(job.settings, "out") && !wants_geometry(job.settings, "by-vertex")) return set;
  set.geometry = geometry_of(execution, data, job.settings.text("positions"));
  if (approximation.left_origin) set.landmarks = approximation.left_origin->indices;
  return set;
}

// Measures the error over the matrix, and samples the spectrum if requested.
template <class T>
nlohmann::ordered_json evaluate_matrix(Job& job, const Execution& execution, const RunRequest& request,
                                       const Approximation<T>& approximation, const ExactMatrix<T>& exact,
                                       VertexErrors* by_vertex) {
  const std::string off = no_estimate(request);
  std::optional<MeasuredError> error;
  if (off.empty()) error = measure_error(execution, request, approximation, exact, EstimateEffort::no_limit, by_vertex);
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

// True if K comes from the result itself: unless keys define its source, or a picture shows the data.
bool takes_kept_hierarchy(const Settings& given, const ResultShape& shape) {
  if (!shape.has_hierarchy() || given.given("similarity.search")) return false;
  if (wants_geometry(given, "out") || wants_geometry(given, "by-vertex")) return false;
  return std::ranges::none_of(given.known_names(),
                              [&](const std::string& name) { return name.starts_with("data.") && given.given(name); });
}

// Rejects options that require a K with the same objects in rows and columns.
void refuse_square_options(const Settings& settings) {
  for (const char* name : {"pairs", "spectrum", "by-vertex"}) {
    if (!settings.given(name)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} has no effect if the columns of K stand for other objects than its rows", name));
  }
}

// A row of K~, with the stored exact entries. Collective.
template <class T>
std::vector<double> stored_row(const Execution& execution, const Approximation<T>& approximation,
                               const NearEntries<T>* near, Index row) {
  std::vector<double> values = approximate_row(execution, approximation, row);
  if (near != nullptr) add_near_row(execution.communicator, *near, row, std::span(values));
  return values;
}

// Measures the benefit of exact entries of near objects. Collective.
template <class T>
nlohmann::ordered_json evaluate_near(const Execution& execution, const Data<T>& data, const ExactMatrix<T>& exact,
                                     const Approximation<T>& approximation, const NearEntries<T>& near) {
  const NearFindings found = near_findings(execution, data, exact, approximation, near);
  nlohmann::ordered_json json;
  for (const std::string& note : found.notes) print_result(execution.communicator, fmt::format("  {}\n", note));
  for (const auto& [name, value] : found.metrics) json[name] = value;
  return json;
}

// Compares one row or the whole matrix, depending on the options.
template <class T>
nlohmann::ordered_json compare(Job& job, const Execution& execution, const Settings& settings,
                               const RunRequest& request, const ResultDescription& description, StoredResult<T>& stored,
                               const Data<T>& data, const RowNames& names) {
  Approximation<T>& approximation = stored.approximation;
  const bool one_row = job.settings.given("row");
  FieldSet shape = shape_of(job, execution, data, approximation);
  const auto* numbers = data.kind == nullptr ? data.template as<NumberedObjects>() : nullptr;
  const ExactMatrix<T> exact = numbers != nullptr ? kept_path_lengths<T>(execution, job.arguments.front(), *numbers)
                                                  : stored_exact_matrix(execution, settings, request, description, data,
                                                                        search_of(data, one_row));
  if (exact.right != nullptr) refuse_square_options(job.settings);
  if (!approximation.left.is_stored() && job.settings.given("similarity.path")) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has no effect: the result keeps no rows of its left factor (store-left = false), which "
                            "are evaluated from its own similarity",
                            job.settings.where("similarity.path")));
  }
  const EvaluatedRows<T> evaluated(job.communicator, approximation, exact, description);
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
  // The next seed gives a probe that is independent of the one in the file.
  const auto seed =
      job.settings.given("run.seed") ? static_cast<std::uint64_t>(job.settings.integer("run.seed")) : stored_seed + 1;
  Context context(job.communicator, static_cast<int>(job.settings.integer("run.threads")), seed);
  const Execution& execution = context.execution();

  StoredResult<T> stored = [&] {
    const auto phase = execution.phases.enter("read result");
    const Index most = most_tile_bytes(job.communicator, memory_of(job.settings), path);
    return read_result_shape(job.communicator, path).left_stored
               ? read_result<T>(job.communicator, path, most)
               : read_result_beside_rows<T>(job.communicator, path, most);
  }();
  const Index n = stored.approximation.left.rows();
  if (stored.approximation.rectangular && is_extension(description)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has new rows of one factor: approximate both to compare with K", path));
  }
  const RowNames names(job.communicator, stored.approximation.left.partition(), std::move(stored.labels),
                       std::move(stored.numbers), std::move(stored.texts));
  if (job.settings.given("row"))
    (void)find_rows(names, job.settings, "row", {job.settings.text("row")});  // checked before the data are read
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

// Rejects options that have no effect together with `option`.
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
  refuse_unused_positions(settings, {"out", "by-vertex"});
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
