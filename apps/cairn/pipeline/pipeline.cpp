#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cairn/approximation/error/entry_squares.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/computation/kept_counts.hpp"
#include "cairn/run/planning/plan_room.hpp"
#include "keys/data_keys.hpp"
#include "keys/key_names.hpp"
#include "keys/method_keys.hpp"
#include "keys/problem.hpp"
#include "keys/similarity_keys.hpp"
#include "keys/value_checks.hpp"
#include "pipeline/moved_points.hpp"

namespace cairn::app {

namespace {

DistanceUse distance_use(const Settings& settings) {
  return {settings.text("similarity.reuse"), settings.flag("output.distances")};
}

ComputationOptions options_of(const Settings& settings, const Values& similarity) {
  ComputationOptions options;
  options.similarity = &similarity;
  options.distances = distance_use(settings);
  if (settings.given("output.operator")) options.operator_path = {settings.text("output.operator"), "output.operator"};
  options.room = run_room(settings);
  options.keys = named_keys();
  options.keep_hierarchy = settings.flag("output.hierarchy");
  options.near = {settings.integer("output.near"), no_estimate(settings).empty()};
  return options;
}

}  // namespace

const RunKeys& named_keys() {
  static const RunKeys keys{similarity_keys, evaluation_keys, run_keys, output_keys};
  return keys;
}

MemoryLimit memory_of(const Settings& settings) {
  if (!settings.knows("run.memory")) return {.keys = run_keys};
  return {settings.integer_or("run.memory", 0), run_keys, settings.text("run.memory") == "unlimited"};
}

RunRoom run_room(const Settings& settings) {
  RunRoom room{.memory = memory_of(settings), .folder_name = "output.path"};
  if (settings.knows("output.path")) {
    room.scratch_folder = std::filesystem::path(settings.text("output.path")).parent_path().string();
  }
  return room;
}

std::string note_of_numbers() {
  return "rows are counted from 0 and have other numbers in the file; these are printed beside them, and --by-number "
         "true takes them (as --by-label true does if there are no labels)";
}

std::vector<std::string> notes_of(const std::vector<std::string>& notes, const NumbersInFile& numbers) {
  std::vector<std::string> all = notes;
  if (numbers.differ_from_rows()) all.push_back(note_of_numbers());
  return all;
}

template <class T>
Data<T> load_data(const Execution& execution, const Settings& settings, const KnownObjects* known) {
  Values values = data_values(settings);
  if (known == nullptr && subtracts_mean(settings)) values = values.with("offset", "subtract");
  return read_data<T>(data_kind(settings), {execution, values, known, true});
}

std::optional<DataSize> peek_size(const Communicator& communicator, const Settings& settings) {
  return collectively(communicator, [&]() -> std::optional<DataSize> {
    const DataKind& kind = data_kind(settings);
    const Values values = data_values(settings);
    check_parameters(kind, values);
    return kind.size != nullptr ? kind.size(values) : std::nullopt;
  });
}

RunChoices run_choices(const Settings& settings, Index objects) {
  RunChoices choices{similarity_choice(settings), method_choice(settings)};
  choices.distances = distance_use(settings);
  choices.keep_hierarchy = settings.flag("output.hierarchy");
  choices.estimate = {.measured = no_estimate(settings).empty(),
                      .fixed = settings.given("evaluation.pairs") || settings.given("evaluation.rows"),
                      .pairs = settings.integer_or("evaluation.pairs", 0),
                      .rows = evaluation_rows(settings, objects)};
  if (settings.given("evaluation.seconds")) choices.estimate.seconds = settings.number("evaluation.seconds");
  choices.near = {settings.integer("output.near"), choices.estimate.measured};
  return choices;
}

PlanInput plan_of(const Communicator& communicator, const Settings& settings, const DataSize& size, int ranks,
                  Index baseline) {
  require_fitting(settings, size);
  Index memory = memory_of(settings).bytes;  // what the run decides by
  if (memory == 0 && ranks == communicator.size()) memory = default_memory(communicator);
  const PlannedObjects objects{data_kind(settings).objects, size, settings.text("run.precision") == "single"};
  return plan_input(communicator, objects, run_choices(settings, size.objects),
                    {ranks, static_cast<int>(settings.integer("run.threads")), baseline, memory}, named_keys());
}

namespace {

// Beside more ranks.
std::string memory_advice(const PlanInput& input) {
  return fmt::format(
      "{}{}",
      input.method->needs.landmarks ? fmt::format(" or fewer landmarks (landmarks.count = {})", input.landmarks) : "",
      input.value_bytes == 8 ? ", run.precision = single" : "");
}

bool landmarks_are_in_a_file(const Settings& settings, const PlanInput& input) {
  return input.landmarks == 0 && method_choice(settings).count_is_read();
}

}  // namespace

void require_memory_limit(const Settings& settings, const PlanInput& input) {
  const MemoryLimit limit = memory_of(settings);
  if (limit.bytes == 0) return;
  if (landmarks_are_in_a_file(settings, input)) return;  // the run plans once it has read them
  require_limit(plan_memory(input), input.ranks, limit, memory_advice(input));
}

bool require_memory(const Communicator& communicator, const Settings& settings, const PlanInput& input, bool warns) {
  require_memory_limit(settings, input);
  if (landmarks_are_in_a_file(settings, input)) return false;
  return require_plan_room(communicator, plan_memory(input), memory_of(settings), memory_advice(input), warns);
}

template <class T>
MeasuredError measure_error(const Execution& execution, const Settings& settings, const Approximation<T>& approximation,
                            const ExactMatrix<T>& exact, double seconds, VertexErrors* by_vertex) {
  return cairn::measure_error(execution, approximation, exact,
                              estimate_effort(settings, exact.objects->size(), seconds),
                              settings.given("evaluation.rows"), by_vertex);
}

template <class T>
Outcome<T> compute(const Execution& execution, const Settings& settings, const Data<T>& data,
                   std::chrono::steady_clock::time_point start) {
  const SimilarityChoice similarity = similarity_choice(settings);
  const MethodChoice method = method_choice(settings);
  reuse_counts(execution, data, settings.text("similarity.reuse"), named_keys());
  const ExactMatrix<T> exact = make_exact_matrix(execution, data, similarity, method);
  Computed<T> computed = cairn::compute(execution, data, exact, method, options_of(settings, similarity.values));
  computed.description.provenance["config"] = settings.as_config();
  MethodReport& report = computed.approximation.report;
  report.notes = notes_of(report.notes, data.numbers);
  std::string off = no_estimate(settings);
  std::optional<MeasuredError> error;
  if (off.empty()) {
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start;
    try {
      error = measure_error(execution, settings, computed.approximation, exact, seconds_for_estimate(so_far.count()));
      take_error(*error, computed.description, report);
    } catch (const NoRelativeError& none) {  // on all ranks
      off = none.what();
      report.warnings.push_back(off);
    }
  }
  RunFigures figures = figures_of(execution.communicator, data, exact, computed);
  figures.not_estimated = off;
  if (error) figures.symmetric_error = error->symmetric;
  return {std::move(computed), std::move(figures)};
}

void finish(Context& context, RunTotals& totals) {
  const Communicator& communicator = context.execution().communicator;
  totals.phases = context.phases().summarize(communicator);
  totals.seconds = context.seconds();
  totals.peak_bytes = communicator.maximum(peak_resident_bytes());
}

#define CAIRN_INSTANTIATE(T)                                                                       \
  template Data<T> load_data(const Execution&, const Settings&, const KnownObjects*);              \
  template MeasuredError measure_error(const Execution&, const Settings&, const Approximation<T>&, \
                                       const ExactMatrix<T>&, double, VertexErrors*);              \
  template Outcome<T> compute(const Execution&, const Settings&, const Data<T>&, std::chrono::steady_clock::time_point);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
