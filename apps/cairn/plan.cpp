// cairn plan: what a config will take, and the refusal of runs that cannot fit.
#include "plan.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/collective_guard.hpp"
#include "calibration.hpp"
#include "context.hpp"
#include "data/dense_matrix.hpp"
#include "pipeline.hpp"
#include "problem.hpp"
#include "report.hpp"
#include "reuse.hpp"
#include "units.hpp"

namespace cairn::app {

namespace {

nlohmann::ordered_json plan_json(const Plan& plan, const std::vector<PlanPhase>& phases) {
  nlohmann::ordered_json items = nlohmann::ordered_json::object(), seconds = nlohmann::ordered_json::object();
  double total = 0;
  for (const PlanItem& item : plan.items) items[item.name] = item.bytes;
  for (const PlanPhase& phase : phases) seconds[phase.name] = phase.seconds, total += phase.seconds;
  if (!phases.empty()) seconds["total"] = total;
  return {{"peak_bytes", plan.peak_bytes},
          {"peak_phase", plan.peak_phase},
          {"bytes", items},
          {"evaluations", plan.evaluations},
          {"probe_evaluations", plan.probe_evaluations},
          {"result_bytes", plan.result_bytes},
          {"seconds", seconds}};
}

std::string plan_heading(const PlanInput& input) {
  return fmt::format("Plan for {} rank{}: {} objects, {} landmarks\n\n", input.ranks, input.ranks == 1 ? "" : "s",
                     grouped(input.objects), grouped(input.s1));
}

std::string memory_table(const Plan& plan) {
  std::vector<std::vector<std::string>> memory = {{"memory of the largest rank", "bytes"}};
  for (const PlanItem& item : plan.items) memory.push_back({item.name, format_bytes(static_cast<double>(item.bytes))});
  memory.push_back(
      {fmt::format("peak, in the phase {}", plan.peak_phase), format_bytes(static_cast<double>(plan.peak_bytes))});
  return table(memory) + "\n";
}

// Evaluations and disk; seconds depend on the graph's separators, which no rate tells.
std::string source_text(const PlanInput& input, const Plan& plan) {
  const double share =
      static_cast<double>(plan.evaluations) / static_cast<double>(input.objects) / static_cast<double>(input.objects);
  const std::string assumed =
      input.method != "biharmonic"
          ? ""
          : fmt::format("  assumed        {}{} bytes for a number of W\n",
                        input.iterative ? "" : "a factor of the operator as road networks have it; ",
                        input.tile_number_bytes);
  return fmt::format(
      "  evaluations    {} ({:.3g} % of the matrix) and {} for the error\n"
      "  result file    {}, before compression\n{}",
      grouped(plan.evaluations), 100 * share, grouped(plan.probe_evaluations),
      format_bytes(static_cast<double>(plan.result_bytes)), assumed);
}

std::string plan_text(const PlanInput& input, const Plan& plan, const std::vector<PlanPhase>& phases,
                      const PlanRates& rates) {
  std::vector<std::vector<std::string>> time = {{"phase", "seconds"}};
  double total = 0;
  for (const PlanPhase& phase : phases) {
    total += phase.seconds;
    time.push_back({phase.name, fmt::format("{:.3g}", phase.seconds)});
  }
  time.push_back({"total", fmt::format("{:.3g}", total)});
  const double share =
      static_cast<double>(plan.evaluations) / static_cast<double>(input.objects) / static_cast<double>(input.objects);
  return plan_heading(input) + memory_table(plan) + table(time) +
         fmt::format(
             "\n  evaluations    {} ({:.3g} % of the matrix) and {} for the error\n"
             "  result file    {}\n"
             "  measured here  {:.3g} evaluations/s and {:.3g} GFLOP/s a rank\n"
             "  assumed        disk: {}/s read, {}/s written{}\n",
             grouped(plan.evaluations), 100 * share, grouped(plan.probe_evaluations),
             format_bytes(static_cast<double>(plan.result_bytes)), rates.evaluations, rates.flops / 1e9,
             format_bytes(rates.read_bytes), format_bytes(rates.write_bytes),
             expects_cholesky(input) ? "; a Cholesky factor of the joining matrix (an eigen-decomposition takes longer)"
                                     : "");
}

// A plan needs to know s1; a file of landmarks is read only by the run.
void require_landmarks(const PlanInput& input) {
  if (input.s1 > 0 || input.method == "optimal") return;
  throw Error(ErrorKind::usage,
              "landmarks.count is missing: a plan, and run.memory, need it where the landmarks come from a file");
}

DataShape read_shape(const Context& context, const Settings& settings) {
  const Data<float> data = load_data<float>(context.execution(), settings);
  return shape_of(context.execution().communicator, data);
}

template <class T>
void plan_as(Job& job, Index baseline) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const auto peeked = peek_shape(job.communicator, settings);
  const DataShape shape = peeked ? *peeked : read_shape(context, settings);
  const int ranks = static_cast<int>(settings.integer_or("ranks", job.communicator.size()));
  const PlanInput input = plan_input(job.communicator, settings, shape, ranks, baseline);
  require_landmarks(input);
  const Plan plan = plan_memory(input);
  std::vector<PlanPhase> phases;
  if (input.by_source) {
    print(job.communicator, plan_heading(input) + memory_table(plan) + source_text(input, plan));
  } else {
    const PlanRates rates = calibrate<T>(context.execution(), settings, input);
    phases = plan_seconds(input, plan, rates);
    print(job.communicator, plan_text(input, plan, phases, rates));
  }
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update(plan_json(plan, phases));
  json["ranks"] = ranks;
  json["n"] = input.objects;
  write_json(job, json);
  require_memory(settings, input);
}

}  // namespace

std::optional<DataShape> peek_shape(const Communicator& communicator, const Settings& settings) {
  return collectively(communicator, [&]() -> std::optional<DataShape> {
    if (data_are_graph(settings) || data_are_mesh(settings)) return std::nullopt;
    if (data_are_matrix(settings)) {
      const auto matrix = DenseMatrix::open(settings.required("data.path"), settings.text("data.format"),
                                            settings.text("data.dataset"));
      return DataShape{matrix->rows(), 0};
    }
    const auto shape = peek_point_shape(point_source(settings));
    return shape ? std::optional(DataShape{shape->points, shape->dimension}) : std::nullopt;
  });
}

namespace {

// Path lengths in edges are taken to be below 65,536; sums of lengths that are no whole numbers fill a double.
Index tile_number_bytes(const DataShape& shape) { return shape.arcs == 0 || shape.weighted ? 8 : 2; }

}  // namespace

PlanInput plan_input(const Communicator& communicator, const Settings& settings, const DataShape& shape, int ranks,
                     Index baseline) {
  const Index s1 = landmark_count(settings, shape.objects);
  const MethodParameters method = method_parameters(settings, s1);
  PlanInput input;
  input.objects = shape.objects;
  input.dimension = shape.dimension;
  input.number_bytes = settings.text("run.precision") == "single" ? 4 : 8;
  input.labels = !settings.text("data.label").empty();
  input.method = method.method;
  input.selection = settings.text("landmarks.selection");
  input.samples = method.samples;
  input.embedding = method.embedding;
  const std::string kind = similarity_kind(settings);
  input.definite = kind == "rbf" || kind == "laplacian" || kind == "matern";
  input.s1 = s1;
  input.s2 = method.s2;
  input.rank = method.rank;
  input.budget = method.budget;
  input.evaluations_per_entry = settings.flag("similarity.symmetrize") ? 2 : 1;
  input.pairs = settings.integer_or("evaluation.pairs", 0);
  input.probe_rows = evaluation_rows(settings, shape.objects);
  input.ranks = ranks;
  input.by_source = by_source(settings);
  input.arcs = shape.arcs;
  input.weighted = shape.weighted;
  input.p_row = settings.integer("approximation.p-row");
  input.iterative = settings.text("approximation.solver") == "iterative";
  input.tile_number_bytes = tile_number_bytes(shape);
  input.baseline_bytes = baseline;
  if (const std::string& reused = settings.text("approximation.reuse"); !reused.empty()) {
    const ReusedShape interpolation = reused_shape(communicator, reused);
    input.s1 = interpolation.landmarks;
    input.reused_entries = interpolation.entries;
  }
  return input;
}

void require_memory(const Settings& settings, const PlanInput& input) {
  if (settings.text("run.memory").empty()) return;
  require_landmarks(input);
  const Index limit = settings.integer("run.memory");
  const Plan plan = plan_memory(input);
  if (plan.peak_bytes <= limit) return;
  throw Error(
      ErrorKind::resource,
      fmt::format("the run would take {} on the largest of {} ranks, more than run.memory = {}; use more ranks or "
                  "fewer landmarks (landmarks.count = {}){}, or raise run.memory",
                  format_bytes(static_cast<double>(plan.peak_bytes)), input.ranks,
                  format_bytes(static_cast<double>(limit)), input.s1,
                  input.number_bytes == 8 ? ", run.precision = single" : ""));
}

void run_plan(Job& job) {
  const Settings& settings = job.settings;
  const Index baseline = job.communicator.maximum(resident_bytes());
  refuse_idle_keys(settings, {similarity_kind(settings)}, {method_name(settings)});
  check_output(job, "json");
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.text("run.precision") == "single") {
    plan_as<float>(job, baseline);
  } else {
    plan_as<double>(job, baseline);
  }
}

}  // namespace cairn::app
