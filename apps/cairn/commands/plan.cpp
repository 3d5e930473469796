// cairn plan: what a config will take, and the refusal of runs that cannot fit.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/data/data_size.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/planning/calibration.hpp"
#include "cairn/run/planning/interpolation_forecast.hpp"
#include "cairn/run/planning/source_forecast.hpp"
#include "commands/commands.hpp"
#include "commands/plan_calibration.hpp"
#include "keys/idle_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "keys/value_checks.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

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

std::string plan_heading(const PlanInput& input) {
  const bool takes_objects = input.method->needs.landmarks || input.method->default_count == nullptr;
  const std::string landmarks = takes_objects ? ", " + grouped(input.landmarks) + " landmarks" : "";
  return fmt::format(
      "Plan for {} rank{}: {} objects{}\n\n", input.ranks, input.ranks == 1 ? "" : "s",
      grouped(input.data.objects) + (input.data.right_objects > 0 ? " x " + grouped(input.data.right_objects) : ""),
      landmarks);
}

std::string memory_table(const Plan& plan) {
  std::vector<std::vector<std::string>> memory = {{"memory of the largest rank", "bytes"}};
  for (const CostItem& item : plan.items) memory.push_back({item.name, format_bytes(static_cast<double>(item.bytes))});
  memory.push_back(
      {fmt::format("peak, in the phase {}", plan.peak_phase), format_bytes(static_cast<double>(plan.peak_bytes))});
  return table(memory) + "\n";
}

std::string evaluations_text(const PlanInput& input, const Plan& plan) {
  const double share = static_cast<double>(plan.evaluations) / static_cast<double>(input.data.objects) /
                       static_cast<double>(input.data.columns());
  return fmt::format("  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n", grouped(plan.evaluations),
                     100 * share, input.estimate.fixed ? "" : "at most ", grouped(plan.probe_evaluations));
}

// Evaluations and disk of what a program compares: what that takes is not known.
std::string unknown_seconds(const PlanInput& input, const Plan& plan) {
  return evaluations_text(input, plan) +
         fmt::format("  result file    {}, before compression\n", format_bytes(static_cast<double>(plan.result_bytes)));
}

std::string time_table(const std::vector<PlanPhase>& phases) {
  std::vector<std::vector<std::string>> time = {{"phase", "seconds"}};
  double total = 0;
  for (const PlanPhase& phase : phases) {
    total += phase.seconds;
    time.push_back({phase.name, fmt::format("{:.3g}", phase.seconds)});
  }
  time.push_back({"total", fmt::format("{:.3g}", total)});
  return table(time);
}

std::string biharmonic_text(const PlanInput& input, const Plan& plan, bool compressed) {
  return fmt::format(
      "\n{}"
      "  all ranks      {}, if they share a node\n"
      "  result file    {}, W {}\n{}"
      "  assumed        factors and hierarchies as road networks and surfaces have them; {} bytes for a number of W\n",
      evaluations_text(input, plan), format_bytes(static_cast<double>(plan.node_bytes)),
      format_bytes(static_cast<double>(plan.result_bytes)),
      compressed ? fmt::format("compressed to {:.0f} %", 100 * input.deflated_share) : "not compressed",
      plan.joining_on_disk ? fmt::format("  scratch file   {} of W, while the program runs\n",
                                         format_bytes(static_cast<double>(plan.scratch_bytes)))
                           : "",
      input.rows.value_bytes);
}

std::string plan_text(const PlanInput& input, const Plan& plan, const std::vector<PlanPhase>& phases,
                      const PlanRates& rates) {
  return plan_heading(input) + memory_table(plan) + time_table(phases) +
         fmt::format(
             "\n{}"
             "  result file    {}\n"
             "  measured here  {:.3g} evaluations/s and {:.3g} GFLOP/s a rank\n"
             "  {}        disk: {}/s read, {}/s written{}{}\n",
             evaluations_text(input, plan), format_bytes(static_cast<double>(plan.result_bytes)), rates.evaluations,
             rates.flops / 1e9, rates.disk_measured ? "stored " : "assumed", format_bytes(rates.read_bytes),
             format_bytes(rates.write_bytes),
             method_cost(input).cholesky
                 ? "; a Cholesky factor of the joining matrix (an eigen-decomposition takes longer)"
                 : "",
             input.distances.columns > 0
                 ? "; similarity.reuse is of the same data, and has the landmarks that a run draws"
                 : "");
}

// From the data themselves.
template <class T>
void plan_biharmonic_as(Job& job, Context& context, int ranks, Index baseline) {
  const Execution& execution = context.execution();
  const double before = context.seconds();
  const Data<T> data = load_data<T>(execution, job.settings);
  std::vector<PlanPhase> phases = {{"read", context.seconds() - before}};
  const RunChoices run = run_choices(job.settings, data.objects->size());
  PlanInput input = plan_of(job.communicator, job.settings, size_of(job.communicator, data), ranks, baseline);
  require_landmarks(input, run.method);
  const InterpolationForecast forecast = forecast_interpolation(execution, data, run, input);
  const bool compressed = job.settings.text("output.compression") != "none";
  if (compressed) input.deflated_share = forecast.deflated_share;
  input.hanging = forecast.hanging;
  if (!forecast.solver.empty()) input.values = input.values.with("solver", forecast.solver);  // what auto chose
  phases.insert(phases.end(), forecast.phases.begin(), forecast.phases.end());
  const Plan plan = plan_memory(input);
  const std::optional<Calibration> known = known_calibration(job);
  phases.push_back({"write", write_seconds(input, plan, compressed, known ? known->rates.written_bytes : 1e9)});
  print_result(job.communicator, plan_heading(input) + memory_table(plan) + time_table(phases) +
                                     biharmonic_text(input, plan, compressed) + calibration_text(job.settings, known));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json.update(plan_json(plan, phases));
  json["ranks"] = ranks;
  json["n"] = input.data.objects;
  write_json(job, json);
  require_memory(job.settings, input);
}

// Whether reading the data for a plan takes no more than a few seconds.
bool is_small(const DataSize& size) {
  constexpr Index most_bytes = Index{512} << 20;
  const Index bytes = std::max<Index>(size.document_bytes, size.dimension * static_cast<Index>(sizeof(double)));
  return size.tokens == 0 && size.right_objects == 0 && bytes > 0 && size.objects <= most_bytes / bytes;
}

// Whether evaluations are measured between the objects themselves.
template <class T>
bool evaluates(const Settings& settings, const Data<T>& data, const DataSize& size) {
  const SimilarityTraits traits = similarity_choice(settings).traits();
  return size.document_bytes > 0 || (data.points() != nullptr && !data.right && !traits.stored && !traits.counts);
}

template <class T>
void plan_as(Job& job, Index baseline) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const int ranks = static_cast<int>(settings.integer_or("ranks", job.communicator.size()));
  if (method_of(settings).needs.rows) {
    plan_biharmonic_as<T>(job, context, ranks, baseline);
    return;
  }
  const std::optional<Calibration> known = known_calibration(job);
  const MachineRates* stored = known ? &known->rates : nullptr;
  const auto peeked = peek_size(job.communicator, settings);
  std::optional<Data<T>> data;  // where no header tells their shape, or they are few, or searched
  const double before = context.seconds();
  if (!peeked || is_small(*peeked) || by_source(settings)) data = load_data<T>(context.execution(), settings);
  const double read_seconds = data ? context.seconds() - before : 0.0;
  const DataSize size = peeked ? *peeked : size_of(job.communicator, *data);
  const PlanInput input = plan_of(job.communicator, settings, size, ranks, baseline);
  require_landmarks(input, method_choice(settings));
  const Plan plan = plan_memory(input);
  std::vector<PlanPhase> phases;
  if (similarity_choice(settings).traits().runs_program) {
    print_result(job.communicator, plan_heading(input) + memory_table(plan) + unknown_seconds(input, plan));
  } else {
    PlanRates rates;
    if (input.by_source()) {
      rates = machine_rates(context.execution(), input, stored);
      rates.read_seconds = read_seconds;
      phases = forecast_sources(context.execution(), *data, run_choices(settings, size.objects), input, plan, rates);
    } else {
      const bool own = data && evaluates(settings, *data, size);
      rates = calibrate<T>(context.execution(), similarity_choice(settings), input, own ? data->objects.get() : nullptr,
                           stored);
      rates.read_seconds = read_seconds;
      phases = plan_seconds(input, plan, rates);
    }
    print_result(job.communicator, plan_text(input, plan, phases, rates) + calibration_text(settings, known));
  }
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update(plan_json(plan, phases));
  json["ranks"] = ranks;
  json["n"] = input.data.objects;
  write_json(job, json);
  require_memory(settings, input);
}

}  // namespace

void check_plan(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  if (settings.given("calibrate")) return check_calibration(settings);
  refuse_idle_keys(settings);
  require_whole(settings);
}

void run_plan(Job& job) {
  const Settings& settings = job.settings;
  if (settings.given("calibrate")) {
    print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
    return run_calibration(job);
  }
  const Index baseline = job.communicator.maximum(resident_bytes());
  check_output(job, "json");
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.text("run.precision") == "single") {
    plan_as<float>(job, baseline);
  } else {
    plan_as<double>(job, baseline);
  }
}

}  // namespace cairn::app
