// cairn plan: what a config will take, and the refusal of runs that cannot fit.
#include "commands/plan.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "keys/data_keys.hpp"
#include "keys/idle_keys.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "keys/value_checks.hpp"
#include "pipeline/biharmonic_calibration.hpp"
#include "pipeline/calibration.hpp"
#include "pipeline/context.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/reuse.hpp"
#include "report/report.hpp"

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
          {"node_bytes", plan.node_bytes},
          {"scratch_bytes", plan.scratch_bytes},
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

// Evaluations and disk of Nystrom and CUR by source; seconds depend on the graph's separators, which no rate tells.
std::string source_text(const PlanInput& input, const Plan& plan) {
  const double share =
      static_cast<double>(plan.evaluations) / static_cast<double>(input.objects) / static_cast<double>(input.objects);
  return fmt::format(
      "  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n"
      "  result file    {}, before compression\n",
      grouped(plan.evaluations), 100 * share, input.fixed_probe ? "" : "at most ", grouped(plan.probe_evaluations),
      format_bytes(static_cast<double>(plan.result_bytes)));
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

std::string biharmonic_text(const PlanInput& input, const Plan& plan) {
  const double share =
      static_cast<double>(plan.evaluations) / static_cast<double>(input.objects) / static_cast<double>(input.objects);
  return fmt::format(
      "\n  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n"
      "  all ranks      {}, if they share a node\n"
      "  result file    {}, W {}\n{}"
      "  assumed        factors and hierarchies as road networks and surfaces have them; {} bytes for a number of W\n",
      grouped(plan.evaluations), 100 * share, input.fixed_probe ? "" : "at most ", grouped(plan.probe_evaluations),
      format_bytes(static_cast<double>(plan.node_bytes)), format_bytes(static_cast<double>(plan.result_bytes)),
      input.compressed ? fmt::format("compressed to {:.0f} %", 100 * input.deflated_share) : "not compressed",
      plan.joining_on_disk ? fmt::format("  scratch file   {} of W, while the program runs\n",
                                         format_bytes(static_cast<double>(plan.scratch_bytes)))
                           : "",
      input.tile_number_bytes);
}

std::string plan_text(const PlanInput& input, const Plan& plan, const std::vector<PlanPhase>& phases,
                      const PlanRates& rates) {
  const double share =
      static_cast<double>(plan.evaluations) / static_cast<double>(input.objects) / static_cast<double>(input.objects);
  return plan_heading(input) + memory_table(plan) + time_table(phases) +
         fmt::format(
             "\n  evaluations    {} ({:.3g} % of the matrix) and {}{} for the error\n"
             "  result file    {}\n"
             "  measured here  {:.3g} evaluations/s and {:.3g} GFLOP/s a rank\n"
             "  assumed        disk: {}/s read, {}/s written{}{}\n",
             grouped(plan.evaluations), 100 * share, input.fixed_probe ? "" : "at most ",
             grouped(plan.probe_evaluations), format_bytes(static_cast<double>(plan.result_bytes)), rates.evaluations,
             rates.flops / 1e9, format_bytes(rates.read_bytes), format_bytes(rates.write_bytes),
             input.cost.cholesky ? "; a Cholesky factor of the joining matrix (an eigen-decomposition takes longer)"
                                 : "",
             input.read_columns > 0 ? "; similarity.reuse is of the same data, and has the landmarks that a run draws"
                                    : "");
}

// A plan needs to know s1; a file of landmarks is read only by the run.
void require_landmarks(const PlanInput& input) {
  if (input.s1 > 0 || !input.needs_count) return;
  throw Error(ErrorKind::usage,
              "landmarks.count is missing: a plan, and run.memory, need it where the landmarks come from a file");
}

// From the data themselves.
template <class T>
void plan_biharmonic_as(Job& job, Context& context, int ranks, Index baseline) {
  const Execution& execution = context.execution();
  const double before = context.seconds();
  const Data<T> data = load_data<T>(execution, job.settings);
  std::vector<PlanPhase> phases = {{"read", context.seconds() - before}};
  PlanInput input = plan_input(job.communicator, job.settings, shape_of(job.communicator, data), ranks, baseline);
  require_landmarks(input);
  const BiharmonicForecast forecast = forecast_biharmonic(execution, job.settings, data, input);
  if (input.compressed) input.deflated_share = forecast.deflated_share;
  input.solver = forecast.solver;  // what auto chose
  phases.insert(phases.end(), forecast.phases.begin(), forecast.phases.end());
  const Plan plan = plan_memory(input);
  phases.push_back({"write", biharmonic_write_seconds(input, plan, execution.threads)});
  print(job.communicator, plan_heading(input) + memory_table(plan) + time_table(phases) + biharmonic_text(input, plan));
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json.update(plan_json(plan, phases));
  json["ranks"] = ranks;
  json["n"] = input.objects;
  write_json(job, json);
  require_memory(job.settings, input);
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
  const auto peeked = peek_shape(job.communicator, settings);
  std::optional<Data<T>> data;  // where no header tells their shape
  if (!peeked) data = load_data<T>(context.execution(), settings);
  const DataShape shape = peeked ? *peeked : shape_of(job.communicator, *data);
  const DocumentSet* documents = data ? data->template as<DocumentSet>() : nullptr;
  if (documents == nullptr) data.reset();
  const PlanInput input = plan_input(job.communicator, settings, shape, ranks, baseline);
  require_landmarks(input);
  const Plan plan = plan_memory(input);
  std::vector<PlanPhase> phases;
  if (input.by_source || similarity_choice(settings).traits().runs_program) {  // what a scorer takes is not known
    print(job.communicator, plan_heading(input) + memory_table(plan) + source_text(input, plan));
  } else {
    const PlanRates rates = calibrate<T>(context.execution(), settings, input, documents);
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
    const DataKind& kind = data_kind(settings);
    const Values values = data_values(settings);
    check_parameters(kind, values);
    const auto size = kind.size != nullptr ? kind.size(values) : std::nullopt;
    return size ? std::optional(DataShape{size->objects, size->dimension}) : std::nullopt;
  });
}

void take_document_shape(const Communicator& communicator, const DocumentSet& documents, DataShape& shape) {
  constexpr Index split_bytes = 32;  // a short std::string
  const DocumentBags& bags = documents.bags();
  const auto sum = [&](std::size_t own) { return communicator.sum(static_cast<Index>(own)); };
  Index bytes = sum(bags.words.size()) * static_cast<Index>(sizeof(std::int32_t) + sizeof(float)) +
                documents.size() * static_cast<Index>(sizeof(Index)) + sum(documents.splits().size()) * split_bytes;
  if (documents.keeps_texts())
    bytes += sum(bags.characters.size()) + documents.size() * static_cast<Index>(sizeof(Index));
  shape.document_bytes = (bytes + documents.size() - 1) / documents.size();
  shape.labelled = sum(documents.labels().size()) > 0;
  const WordVectors* vectors = documents.vectors();
  if (vectors == nullptr) return;
  constexpr Index a_word = 16;  // its characters and where they begin
  shape.word_bytes = vectors->size() * (vectors->dimension() * static_cast<Index>(sizeof(float)) + a_word);
}

namespace {

// Path lengths in edges are taken to be below 65,536; sums of lengths that are not integers fill the precision of
// the run. Squares take twice the room.
Index tile_number_bytes(const PlanInput& input, bool lengths, const Settings& settings) {
  if (input.similarity != "path-length" || lengths) return input.number_bytes;
  return settings.text("approximation.transform") == "sqrt" ? 4 : 2;
}

// Evaluations that parameters take: behind words among them, and a sample that shows distances.
Index preparation(const SimilarityChoice& similarity, Index objects) {
  const auto own = similarity.descriptor->preparation;
  Index evaluations = own != nullptr ? own(similarity.values, objects) : 0;
  for (const SimilarityChoice& part : similarity.parts) evaluations += preparation(part, objects);
  return evaluations;
}

void set_biharmonic(const Settings& settings, const DataShape& shape, PlanInput& input) {
  constexpr Index mesh_degree = 6;
  constexpr double one_sided = 1.4;  // arcs of a neighbour's edge, which may be a neighbour of both or of one
  input.solver = settings.text("approximation.solver");
  input.soft = settings.given("approximation.soft-landmarks");
  input.storage = settings.text("approximation.joining-storage");
  input.compressed = settings.text("output.compression") != "none";
  if (!settings.text("run.memory").empty()) input.memory_limit = settings.integer("run.memory");
  input.p_row = settings.integer("approximation.p-row");
  input.patch_share = patch_share(shape.objects, input.s1, interpolation_parameters(method_values(settings)));
  input.mesh = shape.mesh;
  const std::string kind = operator_kind(settings);
  const double neighbours = static_cast<double>(settings.integer("approximation.neighbours"));
  if (shape.arcs > 0) {
    input.arcs = shape.arcs;
  } else if (shape.mesh && kind != "neighbours") {
    input.arcs = mesh_degree * shape.objects;
  } else {
    input.arcs = static_cast<Index>(one_sided * neighbours * static_cast<double>(shape.objects));
  }
  input.weighted = shape.weighted || kind != "graph";
}

}  // namespace

PlanInput plan_input(const Communicator& communicator, const Settings& settings, const DataShape& shape, int ranks,
                     Index baseline) {
  require_fitting(settings, shape);
  const Index s1 = landmark_count(settings, shape.objects);
  const MethodDescriptor& method = method_of(settings);
  PlanInput input;
  input.objects = shape.objects;
  input.dimension = shape.dimension;
  input.document_bytes = shape.document_bytes;
  input.word_bytes = shape.word_bytes;
  input.number_bytes = settings.text("run.precision") == "single" ? 4 : 8;
  input.labels = shape.labelled || !settings.text("data.label").empty() || settings.text("data.missing") == "skip";
  input.interpolates = method.needs.rows;
  input.needs_count = method_takes_count(settings);
  input.selection = settings.text("landmarks.selection");
  const std::string kind = similarity_kind(settings);
  const SimilarityChoice similarity = similarity_choice(settings);
  const SimilarityTraits traits = similarity.traits();
  input.s1 = s1;
  input.evaluations_per_entry = traits.evaluations_per_entry;
  input.preparation = preparation(similarity, shape.objects);
  input.measures_error = no_estimate(settings).empty();
  input.fixed_probe = settings.given("evaluation.pairs") || settings.given("evaluation.rows");
  input.pairs = settings.integer_or("evaluation.pairs", 0);
  input.keeps_distances = settings.flag("output.distances") || !settings.text("similarity.reuse").empty();
  if (!settings.text("similarity.reuse").empty()) {
    const DistancesShape read = read_distances_shape(communicator, settings.text("similarity.reuse"), output_keys);
    input.read_columns = read.columns;
    input.read_random = read.random;
    input.read_sample = read.sample;
  }
  input.probe_rows = evaluation_rows(settings, shape.objects);
  input.ranks = ranks;
  input.threads = static_cast<int>(settings.integer("run.threads"));
  input.by_source = by_source(settings);
  if (method.cost != nullptr) {
    input.cost = method.cost(method_values(settings), {.objects = shape.objects,
                                                       .landmarks = s1,
                                                       .ranks = ranks,
                                                       .definite = traits.definite,
                                                       .by_source = input.by_source});
  }
  input.similarity = kind;
  input.tile_number_bytes = tile_number_bytes(input, shape.weighted, settings);
  input.arcs = shape.arcs;
  input.weighted = shape.weighted;
  input.baseline_bytes = baseline;
  const std::string& reused = settings.text("approximation.reuse");
  if (input.interpolates && !reused.empty()) {
    const ReusedShape interpolation = reused_shape(communicator, reused);
    input.s1 = interpolation.landmarks;
    input.reused_entries = interpolation.entries;
  }
  if (input.interpolates) set_biharmonic(settings, shape, input);
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

void check_plan(const Settings& settings, const std::vector<std::string>& /*arguments*/) { refuse_idle_keys(settings); }

void run_plan(Job& job) {
  const Settings& settings = job.settings;
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
