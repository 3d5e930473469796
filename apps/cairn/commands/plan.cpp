// cairn plan: predicts the cost of a config, and rejects runs that cannot fit.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/catalog/data_size.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/plan/plan_model.hpp"
#include "cairn/plan/traffic_plan.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/run/planning/calibration_file.hpp"
#include "cairn/run/planning/plan_budget.hpp"
#include "cairn/run/planning/ranks_choice.hpp"
#include "cairn/run/request/request_rules.hpp"
#include "cairn/run/request/run_forecast.hpp"
#include "cairn/run/request/run_steps.hpp"
#include "commands/commands.hpp"
#include "commands/ranks_text.hpp"
#include "pipeline/context.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// A plan for people: table rows, and lines below them.

// Evaluations, and bytes of the file. @param what  remark on the bytes; may be empty
[[nodiscard]] std::string size_notes(const PlanInput& input, const Plan& plan, const std::string& what = {});

std::string evaluations_text(const PlanInput& input, const Plan& plan) {
  const double share = static_cast<double>(plan.evaluations) / static_cast<double>(input.data.objects) /
                       static_cast<double>(input.data.columns());
  return fmt::format("  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n", grouped(plan.evaluations),
                     100 * share, input.estimate.fixed ? "" : "at most ", grouped(plan.probe_evaluations));
}

// "Plan for 2 ranks: 1,000 objects, 50 landmarks" and an empty line. Local, as all functions here.
std::string plan_heading(const PlanInput& input, const NodeLayout& places) {
  const bool takes_objects = input.method->needs.landmarks || input.method->default_count == nullptr;
  const std::string landmarks = takes_objects ? ", " + grouped(input.landmarks) + " landmarks" : "";
  return fmt::format(
      "Plan for {} rank{}{}: {} objects{}\n\n", input.ranks, input.ranks == 1 ? "" : "s",
      places.nodes > 1 ? fmt::format(" on {} nodes", places.nodes) : "",
      grouped(input.data.objects) + (input.data.right_objects > 0 ? " x " + grouped(input.data.right_objects) : ""),
      landmarks);
}

// Rows with a heading and a last row for the sum.
std::vector<std::vector<std::string>> memory_rows(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{"memory of the largest rank", "bytes"}};
  for (const CostItem& item : plan.items) rows.push_back({item.name, bytes_text(item.bytes)});
  rows.push_back({fmt::format("peak, in the phase {}", plan.peak_phase), bytes_text(plan.peak_bytes)});
  return rows;
}

// With the messages of a rank, as a run reports them.
std::vector<std::vector<std::string>> seconds_rows(const std::vector<PlanPhase>& phases,
                                                   const std::vector<PhaseTraffic>& moved) {
  std::vector<std::vector<std::string>> rows = {{"phase", "seconds"}};
  if (!moved.empty()) rows.front().insert(rows.front().end(), {"messages", "moved"});
  for (const PlanPhase& phase : phases) {
    rows.push_back({phase.name, fmt::format("{:.3g}", phase.seconds)});
    const auto found = std::ranges::find(moved, phase.name, &PhaseTraffic::phase);
    if (found == moved.end()) continue;
    const Traffic& traffic = found->traffic;
    rows.back().insert(rows.back().end(), {grouped(traffic.collectives + traffic.messages),
                                           bytes_text(traffic.collective_bytes + traffic.message_bytes)});
  }
  rows.push_back({"total", fmt::format("{:.3g}", total_seconds(phases))});
  return rows;
}

nlohmann::ordered_json traffic_json(const std::vector<PhaseTraffic>& moved) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto& [phase, traffic] : moved) {
    all[phase] = {{"collectives", traffic.collectives},
                  {"collective_bytes", traffic.collective_bytes},
                  {"messages", traffic.messages},
                  {"message_bytes", traffic.message_bytes}};
  }
  return all;
}

std::string size_notes(const PlanInput& input, const Plan& plan, const std::string& what) {
  return fmt::format("{}  result file    {}{}{}\n", evaluations_text(input, plan), bytes_text(plan.result_bytes),
                     what.empty() ? "" : ", ", what);
}

// These and the rates behind the seconds. @param assumed  assumptions besides the disk; may be empty
std::string rate_notes(const PlanInput& input, const Plan& plan, const PlanRates& rates, const std::string& assumed) {
  return size_notes(input, plan) + fmt::format(
                                       "  measured here  {:.3g} evaluations/s a rank\n"
                                       "  products       {:.3g} GFLOP/s a rank\n"
                                       "  disk           {}/s read, {}/s written{}\n{}{}",
                                       rates.evaluations, rates.flops / 1e9, format_bytes(rates.read_bytes),
                                       format_bytes(rates.write_bytes), rates.disk_measured ? "" : ": assumed",
                                       method_cost(input).cholesky
                                           ? "  assumed        a Cholesky factor of the core matrix (an "
                                             "eigen-decomposition takes longer)\n"
                                           : "",
                                       assumed.empty() ? "" : fmt::format("  assumed        {}\n", assumed));
}

// The same for biharmonic interpolation. @param compressed  true if W is compressed
std::string interpolation_notes(const PlanInput& input, const Plan& plan, bool compressed) {
  return fmt::format(
      "{}"
      "  all ranks      {}, if they share a node\n"
      "  result file    {}, W {}\n{}"
      "  assumed        factors and hierarchies as road networks and surfaces have them; {} bytes for a number of W\n",
      evaluations_text(input, plan), bytes_text(plan.node_bytes), bytes_text(plan.result_bytes),
      compressed ? fmt::format("compressed to {:.0f} %", 100 * input.deflated_share) : "not compressed",
      plan.core_on_disk
          ? fmt::format("  scratch file   {} of W, while the program runs\n", bytes_text(plan.scratch_bytes))
          : "",
      input.rows.value_bytes);
}

nlohmann::ordered_json plan_json(const Plan& plan, const std::vector<PlanPhase>& phases) {
  nlohmann::ordered_json items = nlohmann::ordered_json::object(), seconds = nlohmann::ordered_json::object();
  double total = 0;
  for (const CostItem& item : plan.items) items[item.name] = item.bytes;
  nlohmann::ordered_json stages = nlohmann::ordered_json::object();
  for (const PlanStage& stage : plan.stages)
    stages[stage.name] = std::max(stage.bytes, stages.value(stage.name, Index{0}));
  for (const PlanPhase& phase : phases) seconds[phase.name] = phase.seconds, total += phase.seconds;
  if (!phases.empty()) seconds["total"] = total;
  return {{"peak_bytes", plan.peak_bytes},
          {"peak_phase", plan.peak_phase},
          {"bytes", items},
          {"stages", stages},
          {"evaluations", plan.evaluations},
          {"probe_evaluations", plan.probe_evaluations},
          {"result_bytes", plan.result_bytes},
          {"node_bytes", plan.node_bytes},
          {"scratch_bytes", plan.scratch_bytes},
          {"seconds", seconds}};
}

// Where the run will be: by default on the nodes that this command runs on.
NodeLayout places_of(const Job& job) {
  const Settings& settings = job.settings;
  return layout_of(job.communicator, static_cast<int>(settings.integer_or("ranks", 0)),
                   static_cast<int>(settings.integer_or("nodes", 0)), settings.where("nodes"));
}

// Prints the options of sbatch and nothing else, so that a shell can insert them into a command.
// Throws Error(resource) if no number of ranks fits a node.
void print_sbatch_options(const Job& job, const std::string& options, const NodeLayout& places, Index there) {
  if (options.empty()) {
    throw Error(ErrorKind::resource,
                fmt::format("a node has {}, and needs more with each number of ranks up to {} on {} node{}; plan more "
                            "nodes, or fewer ranks a node",
                            bytes_text(there), places.ranks, places.nodes, places.nodes == 1 ? "" : "s"));
  }
  print_result(job.communicator, options + "\n");
}

void report_plan(Job& job, const Context& context, const RunRequest& request, const RunForecast& forecast,
                 const std::string& notes, const nlohmann::ordered_json& more) {
  const PlanInput& input = forecast.input;
  const Plan& plan = forecast.plan;
  const std::vector<PhaseTraffic> moved = plan_traffic(input);
  const PlanBudget budget = plan_budget(job.communicator, plan, forecast.places.on_a_node());
  print_result(job.communicator,
               plan_heading(input, forecast.places) + table(memory_rows(plan)) + "\n" +
                   (forecast.phases.empty() ? "" : table(seconds_rows(forecast.phases, moved)) + "\n") + notes +
                   fit_text(budget));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update(plan_json(plan, forecast.phases));
  json["ranks"] = input.ranks;
  json["n"] = input.data.objects;
  if (!moved.empty()) json["traffic"] = traffic_json(moved);
  if (!more.is_null()) json.update(more);
  json["fits"] = fit_word(budget.fit);
  json["node"] = {{"ranks", budget.ranks},
                  {"needed_bytes", budget.needed},
                  {"there_bytes", budget.there},
                  {"limit", budget.source}};
  write_json(job, json);
  require_memory_limit(request, input);
}

// Path of the file with rates from an option or rank 0's environment, the same on every rank; empty: neither is set.
// Collective.
std::string calibration_path(const Job& job) {
  const char* variable = std::getenv("CAIRN_CALIBRATION");
  std::string path =
      job.settings.given("calibration") || variable == nullptr ? job.settings.text("calibration") : variable;
  job.communicator.broadcast(path, 0);
  return path;
}

std::optional<Calibration> known_calibration(const Job& job) {
  const std::string path = calibration_path(job);
  if (path.empty()) return std::nullopt;
  Calibration known = read_calibration(job.communicator, path);
  require_threads(known, path, static_cast<int>(job.settings.integer("run.threads")));
  return known;
}

// Collective.
std::string calibration_text(const Job& job, const std::optional<Calibration>& known) {
  return known ? fmt::format("  rates          of {}, {}\n", calibration_path(job), origin_of(*known)) : "";
}

void run_calibration(Job& job) {
  check_output(job, "calibrate");
  Context context(job.communicator, job.settings);
  const std::string& path = job.settings.text("calibrate");
  const std::string& result = job.settings.given("output.path") ? job.settings.text("output.path") : path;
  const Calibration made =
      calibrate_machine(context.execution(), std::filesystem::path(result).parent_path().string(), version());
  write_calibration(job.communicator, path, made);
  print_result(job.communicator, fmt::format("Rates of {}, {}\n\n{}", path, origin_of(made), table_of(made)));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json["calibration"] = path;
  write_json(job, json);
}

// With --calibrate nothing is planned.
void check_calibration(const Settings& settings) {
  for (const std::string& name : settings.known_names()) {
    static const std::vector<std::string> beside = {"calibrate", "overwrite", "output.path",      "run.threads",
                                                    "json",      "quiet",     "run.stall-timeout"};
    if (settings.given(name) && !contains(beside, name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} has no effect if calibrate is given, which plans nothing", settings.where(name)));
    }
  }
}

// A line about the number of landmarks that the error needs on samples of the data.
std::string landmarks_text(const LandmarkForecast& forecast, const Values& landmarks) {
  const std::string found =
      forecast.beyond ? fmt::format("more than {}: half of a sample does not suffice", grouped(forecast.expected))
                      : fmt::format("about {}, {} to {}", grouped(forecast.expected), grouped(forecast.least),
                                    grouped(forecast.most));
  return fmt::format("  landmarks      {}, for {} = {}, on {} of {} objects{}\n", found,
                     landmarks.keys()(landmark_names::error), landmarks.text(landmark_names::error),
                     forecast.samples == 1 ? "a sample" : fmt::format("{} samples", forecast.samples),
                     grouped(forecast.sample_size), forecast.ignores_split ? ", of any split" : "");
}

// Lines below the tables.
std::string notes_of(const Settings& settings, const RunForecast& forecast) {
  const PlanInput& input = forecast.input;
  if (input.method->needs.rows) {
    return interpolation_notes(input, forecast.plan, settings.text("output.compression") != "none");
  }
  if (!forecast.measured) return size_notes(input, forecast.plan, "before compression");
  const std::string reuse =
      input.distances.columns > 0 ? "similarity.reuse is of the same data, and has the landmarks that a run draws" : "";
  return rate_notes(input, forecast.plan, forecast.measured->rates, reuse) + text_of(forecast.measured->links);
}

template <class T>
void plan_as(Job& job, Index baseline) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const RunRequest request = request_of(settings);
  const std::optional<Calibration> known = known_calibration(job);
  const RunForecast forecast =
      forecast_run<T>(context.execution(), request, {places_of(job), baseline, known ? &known->rates : nullptr});
  nlohmann::ordered_json found;
  std::string landmarks;
  if (forecast.landmarks) {
    landmarks = landmarks_text(*forecast.landmarks, request.method.landmarks);
    found["landmarks"] = {{"least", forecast.landmarks->least},
                          {"expected", forecast.landmarks->expected},
                          {"most", forecast.landmarks->most}};
  }
  std::string by_ranks;
  if (settings.given("nodes")) {
    const int threads = context.execution().threads;
    const Index there = plan_budget(job.communicator, forecast.plan, forecast.places.on_a_node()).there;
    const std::vector<RanksRow> rows = rows_by_ranks(forecast.input, forecast.places, there,
                                                     [&](const PlanInput& of, const Plan& its, const NodeLayout& at) {
                                                       return total_seconds(forecast.elsewhere(of, its, at));
                                                     });
    found["by_ranks"] = ranks_json(rows);
    std::string options;
    if (const RanksRow* best = recommended(rows)) {
      options = sbatch_options(*best, threads);
      found.update({{"recommended_ranks", best->places.ranks}, {"sbatch", options}});
    }
    by_ranks = table(ranks_table(rows)) + "\n" + recommendation_text(rows, there, threads);
    if (settings.flag("slurm")) return print_sbatch_options(job, options, forecast.places, there);
  }
  report_plan(job, context, request, forecast,
              by_ranks + landmarks + notes_of(settings, forecast) +
                  (forecast.phases.empty() ? "" : calibration_text(job, known)),
              found);
}

}  // namespace

void check_plan(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  if (settings.given("calibrate")) return check_calibration(settings);
  if (settings.flag("slurm")) {
    if (!settings.given("nodes")) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} needs --nodes N: the most nodes that it may recommend", settings.where("slurm")));
    }
    if (settings.given("json")) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} writes no other output; without it, json has the options, as sbatch",
                              settings.where("slurm")));
    }
  }
  const RunRequest request = checked_request(settings);
  require_whole(request);
  if (settings.given("nodes") && (request.method.method->needs.rows || request.similarity.traits().runs_program)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is for methods whose seconds follow from rates on any number of ranks: {} has none",
                            settings.where("nodes"),
                            request.method.method->needs.rows ? "approximation.method = " + request.method.method->name
                                                              : "a program that computes similarities"));
  }
}

void run_plan(Job& job) {
  const Settings& settings = job.settings;
  const Index baseline = job.communicator.maximum(resident_bytes());
  check_output(job, "json");
  if (!settings.flag("slurm")) print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.given("calibrate")) return run_calibration(job);
  if (settings.text("run.precision") == "single") {
    plan_as<float>(job, baseline);
  } else {
    plan_as<double>(job, baseline);
  }
}

}  // namespace cairn::app
