#include "commands/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/evaluation/quartiles.hpp"
#include "cairn/parameters/units.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

// Phase columns of a line. A column includes phases whose names start with its name and another word; all other phases
// are only part of the total.
const std::vector<std::string>& phase_columns() {
  static const std::vector<std::string> names = {"read",          "landmarks",       "operator",     "similarity",
                                                 "interpolation", "landmark matrix", "similarities", "joining",
                                                 "probe",         "evaluation"};
  return names;
}

double seconds_of(const RunMetrics& metrics, const std::string& phase) {
  double seconds = 0;
  for (const PhaseSummary& summary : metrics.totals.phases) {
    if (summary.name == phase || summary.name.starts_with(phase + " ")) seconds += summary.seconds;
  }
  return seconds;
}

const std::vector<std::string>& metric_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> columns = {"n",
                                        "method",
                                        "s1",
                                        "s2",
                                        "evaluations",
                                        "share",
                                        "relative_error",
                                        "relative_error_standard_error",
                                        "relative_squared_error",
                                        "relative_squared_error_standard_error",
                                        "symmetric_relative_squared_error",
                                        "constant_error",
                                        "rank",
                                        "dropped_eigenvalues",
                                        "negative_eigenvalues",
                                        "operator",
                                        "solver",
                                        "nonzeros_per_row",
                                        "factor_bytes",
                                        "probe_evaluations",
                                        "seconds_total"};
    for (std::string phase : phase_columns()) {
      std::replace(phase.begin(), phase.end(), ' ', '_');
      columns.push_back("seconds_" + phase);
    }
    columns.emplace_back("peak_bytes");
    return columns;
  }();
  return names;
}

// A field of a line that must be a number.
double number_of(const SweepFile& file, const SweepFile::Fields& line, const std::string& name) {
  const std::optional<double> value = parse_number(file.field(line, name));
  if (!value) throw Error(ErrorKind::input, fmt::format("a line of the sweep to go on with has no {}", name));
  return *value;
}

// All runs of one combination of values.
struct Group {
  std::vector<std::string> values;
  Index runs = 0, failures = 0;
  std::vector<double> errors, seconds, shares;
};

std::vector<Group> groups_of(const std::vector<SweepRun>& runs) {
  std::vector<Group> groups;
  for (const SweepRun& run : runs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.values == run.values; });
    if (group == groups.end())
      group = groups.insert(group, Group{.values = run.values, .errors = {}, .seconds = {}, .shares = {}});
    ++group->runs;
    if (!run.result) {
      ++group->failures;
      continue;
    }
    if (run.result->relative_error) group->errors.push_back(*run.result->relative_error);
    group->seconds.push_back(run.result->seconds);
    group->shares.push_back(run.result->share);
  }
  return groups;
}

}  // namespace

SweepFile::Fields csv_columns(const std::vector<std::string>& keys) {
  SweepFile::Fields columns = keys;
  columns.insert(columns.end(), {"run_seed", "settings"});
  columns.insert(columns.end(), metric_columns().begin(), metric_columns().end());
  columns.emplace_back("error");
  return columns;
}

SweepFile::Fields csv_key(const std::vector<std::string>& values, std::uint64_t seed, const std::string& settings) {
  SweepFile::Fields key = values;
  key.insert(key.end(), {std::to_string(seed), settings});
  return key;
}

SweepFile::Fields csv_fields(SweepFile::Fields key, const RunMetrics& metrics) {
  const ResultDescription& description = metrics.description;
  const FactorSizes& factors = metrics.factors;
  const ErrorEstimate error = description.error.value_or(ErrorEstimate{});
  const MethodReport& method = metrics.method;
  const auto add = [&](const auto&... values) { (key.push_back(fmt::format("{}", values)), ...); };
  const auto add_errors = [&](auto... values) {
    (key.push_back(description.error ? fmt::format("{:.9g}", values) : std::string()), ...);
  };
  add(factors.objects, method.method, method.s1, method.s2, description.evaluations);
  add(fmt::format("{:.9g}", metrics.share()));
  add_errors(error.relative_error, error.relative_error_standard_error, error.relative_squared_error,
             error.relative_squared_error_standard_error);
  add(metrics.symmetric_error ? fmt::format("{:.9g}", metrics.symmetric_error->relative_squared_error) : "");
  add_errors(error.constant_error);
  add(method.rank, method.dropped_eigenvalues, method.negative_eigenvalues);
  const auto& p = method.interpolation;
  add(p ? method.operator_kind : "", p ? p->solver : "");
  add(p ? fmt::format("{:.6g}", static_cast<double>(factors.nonzeros) / static_cast<double>(factors.objects)) : "");
  add(factors.left_bytes + factors.core_bytes, error.evaluations);
  add(fmt::format("{:.6f}", metrics.totals.seconds));
  for (const std::string& phase : phase_columns()) add(fmt::format("{:.6f}", seconds_of(metrics, phase)));
  add(metrics.totals.peak_bytes, "");
  return key;
}

SweepFile::Fields csv_fields(SweepFile::Fields key, const std::string& error) {
  key.resize(key.size() + metric_columns().size());
  key.push_back(error);
  return key;
}

SweepRun run_of(const SweepFile& file, const SweepFile::Fields& line, std::size_t keys) {
  SweepRun run{.values = {line.begin(), line.begin() + static_cast<std::ptrdiff_t>(keys)},
               .seed = file.field(line, "run_seed"),
               .error = file.field(line, "error")};
  if (!run.error.empty()) return run;
  run.result = {.share = number_of(file, line, "share"), .seconds = number_of(file, line, "seconds_total")};
  if (file.field(line, "relative_error").empty()) return run;  // evaluation.pairs = 0
  run.result->relative_error = number_of(file, line, "relative_error");
  run.result->standard_error = number_of(file, line, "relative_error_standard_error");
  return run;
}

std::string progress_line(const std::vector<std::string>& keys, const SweepRun& run, Index done, Index total) {
  std::string line = fmt::format("  {}/{}", done, total);
  for (std::size_t k = 0; k < keys.size(); ++k) line += fmt::format("  {} = {}", keys[k], run.values[k]);
  line += fmt::format("  seed {}", run.seed);
  if (!run.result) return line + "  failed: " + run.error + "\n";
  const std::string seconds = format_seconds(run.result->seconds);
  if (!run.result->relative_error) return line + fmt::format("  relative error not estimated, {}\n", seconds);
  return line + fmt::format("  relative error {:.4g} +- {:.2g}, {}\n", *run.result->relative_error,
                            run.result->standard_error, seconds);
}

namespace {

// Median and quartiles; blank if no error was estimated.
std::vector<std::string> error_cells(const std::vector<double>& errors) {
  if (errors.empty()) return {"", "", ""};
  const Quartiles error = quartiles(errors);
  return {fmt::format("{:.4g}", error.median), fmt::format("{:.4g}", error.first), fmt::format("{:.4g}", error.third)};
}

}  // namespace

std::string summary_table(const std::vector<std::string>& keys, const std::vector<SweepRun>& runs) {
  std::vector<std::string> heading = keys;
  if (keys.empty()) heading.push_back("");
  heading.insert(heading.end(), {"runs", "failed", "% of matrix", "median error", "first quartile", "third quartile",
                                 "median seconds"});
  std::vector<std::vector<std::string>> rows = {heading};
  for (const Group& group : groups_of(runs)) {
    std::vector<std::string> row = group.values;
    if (keys.empty()) row.push_back("all");
    row.push_back(std::to_string(group.runs));
    row.push_back(std::to_string(group.failures));
    if (!group.seconds.empty()) {
      row.push_back(fmt::format("{:.3g}", 100 * quartiles(group.shares).median));
      for (std::string& cell : error_cells(group.errors)) row.push_back(std::move(cell));
      row.push_back(fmt::format("{:.3g}", quartiles(group.seconds).median));
    }
    rows.push_back(row);
  }
  return table(rows);
}

nlohmann::ordered_json summary_json(const std::vector<std::string>& keys, const std::vector<SweepRun>& runs) {
  nlohmann::ordered_json combinations = nlohmann::ordered_json::array();
  for (const Group& group : groups_of(runs)) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (std::size_t k = 0; k < keys.size(); ++k) values[keys[k]] = group.values[k];
    nlohmann::ordered_json entry = {{"values", values}, {"runs", group.runs}, {"failures", group.failures}};
    if (!group.errors.empty()) {
      const Quartiles error = quartiles(group.errors);
      entry["median_relative_error"] = error.median;
      entry["first_quartile_relative_error"] = error.first;
      entry["third_quartile_relative_error"] = error.third;
    }
    if (!group.seconds.empty()) {
      entry["median_share"] = quartiles(group.shares).median;
      entry["median_seconds"] = quartiles(group.seconds).median;
    }
    combinations.push_back(entry);
  }
  return {{"combinations", combinations}, {"runs", runs.size()}};
}

}  // namespace cairn::app
