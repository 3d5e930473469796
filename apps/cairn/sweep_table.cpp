#include "sweep_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

// Phases of a line; any other phase is in the total alone.
const std::vector<std::string>& phase_columns() {
  static const std::vector<std::string> names = {"read", "landmarks", "similarities", "joining", "probe"};
  return names;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

double seconds_of(const Figures& figures, const std::string& phase) {
  for (const PhaseSummary& summary : figures.phases) {
    if (summary.name == phase) return summary.seconds;
  }
  return 0;
}

// All runs of one combination.
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
    if (!run.figures) {
      ++group->failures;
      continue;
    }
    group->errors.push_back(run.figures->error->relative_error);
    group->seconds.push_back(run.figures->total_seconds);
    group->shares.push_back(run.figures->share());
  }
  return groups;
}

}  // namespace

std::string csv_heading(const std::vector<std::string>& keys) {
  std::string line;
  for (const std::string& key : keys) line += key + ",";
  line +=
      "run_seed,n,method,s1,s2,evaluations,share,relative_error,relative_error_standard_error,relative_squared_error,"
      "relative_squared_error_standard_error,rank,dropped_eigenvalues,negative_eigenvalues,probe_evaluations,"
      "seconds_total";
  for (const std::string& phase : phase_columns()) line += ",seconds_" + phase;
  return line + ",peak_bytes,error\n";
}

std::string csv_line(const SweepRun& run) {
  std::string line;
  for (const std::string& value : run.values) line += quoted(value) + ",";
  line += std::to_string(run.seed);
  if (!run.figures) return line + std::string(16 + phase_columns().size(), ',') + "," + quoted(run.error) + "\n";
  const Figures& figures = *run.figures;
  const ErrorEstimate& error = *figures.error;
  const MethodReport& method = figures.method;
  line += fmt::format(",{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{},{:.6f}", figures.objects,
                      method.method, method.s1, method.s2, figures.evaluations, figures.share(), error.relative_error,
                      error.relative_error_standard_error, error.relative_squared_error,
                      error.relative_squared_error_standard_error, method.rank, method.dropped_eigenvalues,
                      method.negative_eigenvalues, error.evaluations, figures.total_seconds);
  for (const std::string& phase : phase_columns()) line += fmt::format(",{:.6f}", seconds_of(figures, phase));
  return line + fmt::format(",{},\n", figures.peak_bytes);
}

std::string progress_line(const std::vector<std::string>& keys, const SweepRun& run, Index done, Index total) {
  std::string line = fmt::format("  {}/{}", done, total);
  for (std::size_t k = 0; k < keys.size(); ++k) line += fmt::format("  {} = {}", keys[k], run.values[k]);
  line += fmt::format("  seed {}", run.seed);
  if (!run.figures) return line + "  failed: " + run.error + "\n";
  return line + fmt::format("  relative error {:.4g} +- {:.2g}, {}\n", run.figures->error->relative_error,
                            run.figures->error->relative_error_standard_error,
                            format_seconds(run.figures->total_seconds));
}

Quartiles quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double position = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - std::floor(position)) * (values[above] - values[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

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
    if (!group.errors.empty()) {
      const Quartiles error = quartiles(group.errors);
      row.push_back(fmt::format("{:.3g}", 100 * quartiles(group.shares).median));
      for (const double value : {error.median, error.first, error.third}) row.push_back(fmt::format("{:.4g}", value));
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
      entry["median_share"] = quartiles(group.shares).median;
      entry["median_seconds"] = quartiles(group.seconds).median;
    }
    combinations.push_back(entry);
  }
  return {{"combinations", combinations}, {"runs", runs.size()}};
}

}  // namespace cairn::app
