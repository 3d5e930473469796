// cairn transport: a plan between two sets of points.
#include "cairn/run/transport/transport.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/data/points/column_reader.hpp"
#include "cairn/run/transport/transport_report.hpp"
#include "commands/commands.hpp"
#include "keys/data_keys.hpp"
#include "keys/idle_keys.hpp"
#include "keys/key_names.hpp"
#include "keys/method_keys.hpp"
#include "keys/task_keys.hpp"
#include "pipeline/checkpointing.hpp"
#include "pipeline/context.hpp"
#include "pipeline/finish_report.hpp"
#include "pipeline/pipeline.hpp"
#include "report/data_report.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

Values transport_values(const Settings& settings) {
  return Values(transport_parameters(), settings, "").named(task_keys);
}

// The kernel's method is chosen by --kernel; its options are those of [approximation] and [landmarks].
TransportChoice choice_of(const Settings& settings) {
  TransportChoice choice{transport_values(settings), {}};
  const std::string name = method_of_kernel(choice.values);
  if (name.empty()) return choice;
  choice.method = method_choice(settings, method_named(name));
  return choice;
}

// Keys of methods that the kernel does not take.
void refuse_idle_method_keys(const Settings& settings, const TransportChoice& choice) {
  IdleKeys idle(settings);
  const std::string kernel = fmt::format("--kernel is {}", choice.kernel());
  idle.add(method_key, "--kernel says which method is taken");
  if (choice.automatic()) {
    for (const char* key : {"landmarks.count", "landmarks.fraction"}) {
      idle.add(key, kernel + ", which finds out how many landmarks it needs");
    }
  }
  for (const auto& [name, owners] : methods_of_key()) {
    if (!choice.method) {
      idle.add(name, kernel);
    } else {
      idle.add_unless(name, "--kernel", choice.method->method->name, owners);
    }
  }
  if (choice.method) {
    for (const UnusedParameter& unused : unused_parameters(*choice.method, {})) {
      idle.add(method_prefix + unused.name, unused.why);
    }
    for (const UnusedParameter& unused : unused_landmark_parameters(*choice.method)) {
      idle.add(choice.method->landmarks.keys()(unused.name), unused.why);
    }
    if (choice.method->method->has("embedding"))
      idle.add(method_prefix + "embedding", "the plan always takes embeddings");
  }
  if (!idle.list().empty()) throw Error(ErrorKind::usage, idle.list().front().message);
}

// The settings of other points: read as the sources are, from another file.
Settings with_path(const Settings& settings, const std::string& option) {
  Settings other = settings;
  clear_data_source(other);
  other.set("data.path", settings.text(option), settings.where(option));
  return other;
}

// Points of another file, scaled as the sources were.
template <class T>
Data<T> load_like(const Execution& execution, const Settings& settings, const std::string& option,
                  const Data<T>& source) {
  KnownObjects known;
  known.points = {.scaling = source.scaling,
                  .dimension = source.dimension(),
                  .columns = source.columns,
                  .path = settings.text("data.path").empty() ? "the source" : settings.text("data.path")};
  known.new_objects = true;
  return load_data<T>(execution, with_path(settings, option), &known);
}

// One number a row of the points; nothing if there is no such file.
template <class T>
std::vector<double> read_weights(const Job& job, const std::string& option, const PointSet<T>& points) {
  if (!job.settings.given(option)) return {};
  const std::string& path = job.settings.text(option);
  const ColumnTable table = read_columns(job.communicator, {.path = path, .columns = {}, .key = {}, .keys = data_keys});
  const RowBlock<double>& weights = table.rows.coordinates();
  if (weights.columns() != 1 || weights.rows() != points.size()) {
    throw Error(ErrorKind::input, fmt::format("{} is {} x {}; weights are one number for each of the {} points", path,
                                              weights.rows(), weights.columns(), points.size()));
  }
  return {weights.local().data, weights.local().data + weights.local().rows};
}

template <class T>
void transport_as(Job& job) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  const Data<T> source = load_data<T>(execution, settings);
  const Data<T> target = load_like<T>(execution, settings, "target.path", source);
  std::optional<Data<T>> unseen;
  if (settings.given("map")) unseen = load_like<T>(execution, settings, "map", source);
  print(job.communicator, data_report(source.facts));
  const std::vector<double> source_weights = read_weights(job, "weights", *source.points());
  const std::vector<double> target_weights = read_weights(job, "target.weights", *target.points());
  const TransportChoice choice = choice_of(settings);
  const auto checkpoint = make_checkpoint(job, context, source.digest ^ target.digest);
  Transported<T> found = to_the_end_or_a_stop(job.communicator, checkpoint.get(), [&] {
    return transport<T>({.execution = execution,
                         .source = source.points()->coordinates(),
                         .target = target.points()->coordinates(),
                         .source_weights = source_weights,
                         .target_weights = target_weights,
                         .unseen = unseen ? &unseen->points()->coordinates() : nullptr,
                         .choice = choice,
                         .room = run_room(settings)});
  });
  found.notes.insert(found.notes.end(), source.notes.begin(), source.notes.end());
  found.notes.insert(found.notes.end(), target.notes.begin(), target.notes.end());
  TransportDescription description = description_of(found, choice);
  description.provenance = run_provenance(job, execution.threads);
  description.provenance["config"] = settings.as_config();
  description.phases = context.phases().summarize(job.communicator);
  save_plan(execution, {settings.text("output.path"), "output.path"}, found, description);
  if (checkpoint) checkpoint->remove();
  TaskReport report = report_of(summary_of(job.communicator, found, description));
  report.text.figure("plan", settings.text("output.path")).gap();
  report.figures.emplace_back("output", settings.text("output.path"));
  print(job.communicator, text_of(report.text));
  finish_report(job, context, report);
}

}  // namespace

void check_transport(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.path");
  settings.required("target.path");
  refuse_idle_data_keys(settings);
  if (data_kind(settings).objects != objects::points) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: a transport is between points", settings.where(data_key),
                                              settings.text(data_key)));
  }
  const TransportChoice choice = choice_of(settings);
  refuse_idle_method_keys(settings, choice);
  check(choice);
  refuse_idle_checkpoint_keys(settings);
}

void run_transport(Job& job) {
  for (const char* output : {"output.path", "run.checkpoint", "json"}) check_output(job, output);
  require_usable_checkpoint(job);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  if (job.settings.text("run.precision") == "single") {
    transport_as<float>(job);
  } else {
    transport_as<double>(job);
  }
}

}  // namespace cairn::app
