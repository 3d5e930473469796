#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/parameters/units.hpp"
#include "cairn/store/files/output_target.hpp"
#include "cairn/store/text_file.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

using nlohmann::ordered_json;

ordered_json error_json(const ErrorEstimate& error, const std::string& over) {
  return {{"error_over", over},
          {"relative_error", error.relative_error},
          {"relative_error_standard_error", error.relative_error_standard_error},
          {"relative_error_interval", error.interval()},
          {"confidence", ErrorEstimate::confidence},
          {"certified", error.stopped_by == StoppedBy::all},
          {"relative_squared_error", error.relative_squared_error},
          {"relative_squared_error_standard_error", error.relative_squared_error_standard_error},
          {"constant_error", error.constant_error},  // NaN (written as null) in old files
          {"constant_error_standard_error", error.constant_error_standard_error},
          {"largest_entry_error", error.largest_entry_error},
          {"probe_stopped_by", name_of(error.stopped_by)},
          {"probe_pairs", error.pairs},
          {"probe_diagonal", error.diagonal},
          {"probe_evaluations", error.evaluations}};
}

ordered_json no_error_json() {
  ordered_json json;
  for (const char* key :
       {"error_over", "relative_error", "relative_error_standard_error", "relative_error_interval", "confidence",
        "certified", "relative_squared_error", "relative_squared_error_standard_error", "constant_error",
        "constant_error_standard_error", "largest_entry_error", "probe_stopped_by"}) {
    json[key] = nullptr;
  }
  for (const char* key : {"probe_pairs", "probe_diagonal", "probe_evaluations"}) json[key] = 0;
  return json;
}

ordered_json growth_json(const ResultDescription& description) {
  ordered_json growth = ordered_json::array();
  for (const auto& [landmarks, error] : description.growth) {
    growth.push_back({{"landmarks", landmarks}, {"relative_error", error}});
  }
  return growth;
}

ordered_json phases_json(const std::vector<PhaseSummary>& phases, double total_seconds) {
  ordered_json seconds, details;
  for (const PhaseSummary& phase : phases) {
    seconds[phase.name] = phase.seconds;
    details[phase.name] = {{"seconds", phase.seconds},
                           {"busy_seconds", phase.busy},
                           {"imbalance", phase.imbalance},
                           {"evaluations", phase.evaluations},
                           {"bytes", phase.bytes},
                           {"peak_bytes", phase.peak_bytes},
                           {"collectives", phase.traffic.collectives},
                           {"collective_bytes", phase.traffic.collective_bytes},
                           {"messages", phase.traffic.messages},
                           {"message_bytes", phase.traffic.message_bytes},
                           {"waiting_seconds", phase.traffic.seconds}};
  }
  seconds["total"] = total_seconds;
  return {{"seconds", seconds}, {"phases", details}};
}

ordered_json method_json(const MethodReport& method) {
  return {{"method", method.method},
          {"s1", method.s1},
          {"s2", method.s2},
          {"rank", method.rank},
          {"dropped_eigenvalues", method.dropped_eigenvalues},
          {"negative_eigenvalues", method.negative_eigenvalues},
          {"shift", method.shift},
          {"rescale", method.rescale},
          {"notes", method.notes},
          {"warnings", method.warnings}};
}

namespace {

ordered_json interpolation_json(const MethodReport& method, const FactorSizes& factors) {
  const InterpolationReport& report = *method.interpolation;
  return {
      {"operator", method.operator_kind},
      {"solver", report.solver},
      {"solver_reason", report.reason},
      {"p_nonzeros", factors.nonzeros},
      {"p_bytes", factors.left_bytes},
      {"w_bytes", factors.core_bytes},
      {"w_number", factors.core_value},
      {"w_on_disk", factors.core_on_disk},
      {"row_sum_error", report.largest_row_sum_error ? ordered_json(*report.largest_row_sum_error) : ordered_json()},
      {"condition_estimate", report.condition_estimate},
      {"iterations", report.iterations},
      {"preconditioned_condition", report.preconditioned_condition},
      {"edge_bound", report.edge_bound},
      {"dropped_norm", report.dropped_norm},
      {"factor_entries", report.factor_entries},
      {"patches", report.patches}};
}

ordered_json check_json(const GeodesicCheck& check) {
  return {{"sources", check.sources},         {"negative", check.negative},     {"below_line", check.below_line},
          {"above_edges", check.above_edges}, {"asymmetric", check.asymmetric}, {"mean_edge", check.mean_edge},
          {"longest_path", check.longest}};
}

}  // namespace

ordered_json metrics_json(const RunMetrics& metrics) {
  const ResultDescription& description = metrics.description;
  const FactorSizes& factors = metrics.factors;
  ordered_json parameters = ordered_json::object();
  for (const auto& [key, value] : description.similarity_parameters) parameters[key] = value;
  ordered_json json = {{"n", factors.objects},
                       {"right_n", factors.right_objects},
                       {"dimension", factors.dimension},
                       {"similarity", description.similarity},
                       {"similarity_parameters", parameters},
                       {"meaning", factors.meaning == Meaning::distance ? "distance" : "similarity"},
                       {"landmark_selection", description.landmark_selection},
                       {"left_columns", factors.left_columns},
                       {"joining_layout", factors.core_matrix},
                       {"factor_bytes", factors.left_bytes + factors.core_bytes},
                       {"evaluations", description.evaluations},
                       {"share", metrics.share()}};
  json.update(method_json(metrics.method));
  for (const auto& [name, value] : metrics.method.metrics) json[name] = value;
  if (metrics.method.interpolation) json.update(interpolation_json(metrics.method, factors));
  if (metrics.flips) {
    json["surface_edges"] = metrics.flips->edges;
    json["flipped_edges"] = metrics.flips->flipped;
  }
  if (metrics.geodesics) json["geodesic_check"] = check_json(*metrics.geodesics);
  json.update(description.error ? error_json(*description.error, error_over(description)) : no_error_json());
  if (const auto promise = description.provenance.find("error_promise"); promise != description.provenance.end()) {
    json["error_promise"] = promise->second;
    for (const char* name : {"error_goal", "error_limit", "error_confidence"}) {
      json[name] = description.metrics.at(name);
    }
    json["error_growth"] = growth_json(description);
  }
  if (metrics.symmetric_error) {
    json["symmetric_relative_squared_error"] = metrics.symmetric_error->relative_squared_error;
  }
  if (metrics.checkpoint) {
    json["checkpoint"] = {{"earlier_runs", metrics.checkpoint->earlier_runs},
                          {"restored_tiles", metrics.checkpoint->restored_tiles},
                          {"restored_evaluations", metrics.restored_evaluations},
                          {"written_tiles", metrics.checkpoint->written_tiles},
                          {"written_bytes", metrics.checkpoint->written_bytes},
                          {"damages", metrics.checkpoint->damages},
                          {"seconds", metrics.checkpoint->seconds}};
  }
  json.update(phases_json(metrics.totals.phases, metrics.totals.seconds));
  json["peak_bytes"] = metrics.totals.peak_bytes;
  json["seed"] = parse_integer(description.provenance.at("seed")).value_or(0);
  json["precision"] = description.precision;
  return json;
}

ordered_json header_json(const Job& job, int threads) {
  return {{"version", version()},
          {"commit", commit()},
          {"command", job.command_line},
          {"date", now_text()},
          {"ranks", job.communicator.size()},
          {"threads", threads}};
}

std::map<std::string, std::string> run_provenance(const Job& job, int threads) {
  return {{"version", version()},
          {"commit", commit()},
          {"libraries", libraries()},
          {"command_line", job.command_line},
          {"date", now_text()},
          {"ranks", std::to_string(job.communicator.size())},
          {"threads", std::to_string(threads)}};
}

void write_json(const Job& job, const ordered_json& object) {
  if (job.settings.text("json").empty()) return;
  ordered_json marked = {{json_mark, "cairn"}};
  marked.update(object);
  write_text_file(job.communicator, {job.settings.text("json"), "json"},
                  marked.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace cairn::app
