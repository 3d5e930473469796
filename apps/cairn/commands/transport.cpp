// cairn transport: a transport plan between two sets of points.
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/run/transport/transport_files.hpp"
#include "commands/commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/data_report.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"
#include "report/version.hpp"

namespace cairn::app {

namespace {

// The method of the kernel is chosen by --kernel; its options are those of [approximation] and [landmarks].
TransportChoice choice_of(const Settings& settings) {
  TransportChoice choice{Values(transport_parameters(), settings, "").named(task_keys), {}};
  const std::string name = method_of_kernel(choice.values);
  if (!name.empty()) choice.method = method_choice(settings, method_named(name));
  return choice;
}

// Rejects keys of methods that the kernel does not use.
void refuse_unused_method_keys(const Settings& settings, const TransportChoice& choice) {
  UnusedKeys idle(settings);
  const std::string kernel = fmt::format("--kernel is {}", choice.kernel());
  idle.add(method_key, "--kernel says which method is taken");
  if (!choice.method) {
    for (const char* key : {"landmarks.count", "landmarks.fraction"}) idle.add(key, kernel);
  }
  for (const auto& [name, owners] : methods_of_key()) {
    choice.method ? idle.add_unless(name, "--kernel", choice.method->method->name, owners) : idle.add(name, kernel);
  }
  if (!idle.list().empty()) throw Error(ErrorKind::usage, idle.list().front().message);
}

template <class T>
void transport_as(Job& job) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  const TransportChoice choice = choice_of(settings);
  const auto data = read_transport_data<T>(execution, data_values(settings),
                                           Values(transport_file_parameters(), settings, "").named(task_keys));
  print(job.communicator, data_report(data.source.facts) + "  of the targets:\n" + data_report(data.target.facts));
  const bool selects = choice.method && choice.method->method->needs.landmarks;
  const auto checkpoint = make_checkpoint(job.communicator, settings, context.ledger(), version(), context.start(),
                                          data.digest, selects ? choice.method->selection().name : "");
  if (checkpoint && checkpoint->restarts_from_nothing()) print(job.communicator, no_checkpoint(settings));
  Transported<T> found = to_the_end_or_a_stop(job.communicator, checkpoint.get(),
                                              [&] { return transport(execution, data, choice, RunResources{}); });
  auto provenance = run_provenance(job, execution.threads);
  provenance["config"] = settings.as_config(transport_options());
  const TaskReport report =
      save_plan(execution, {settings.text("output.path"), "output.path"}, data, std::move(found), choice, provenance);
  if (checkpoint) checkpoint->remove();
  print_result(job.communicator, text_of(report.text));
  finish_report(job, context, report);
}

}  // namespace

void check_transport(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  settings.required("output.path");
  settings.required("target.path");
  refuse_unused_data_keys(settings);
  if (&data_kind(settings) != &point_data()) {
    throw Error(ErrorKind::usage, fmt::format("{} = {}: a transport is between points", settings.where(data_key),
                                              settings.text(data_key)));
  }
  const TransportChoice choice = choice_of(settings);
  refuse_unused_method_keys(settings, choice);
  if (choice.exact() && settings.given("run.seed")) {
    throw Error(ErrorKind::usage,
                settings.where("run.seed") + " has no effect with the exact kernel: nothing is drawn");
  }
  check(choice);
  refuse_unused_checkpoint_keys(settings);
}

void run_transport(Job& job) {
  check_output(job, "output.path", OutputForm::plan);
  for (const char* output : {"run.checkpoint", "json"}) check_output(job, output);
  require_usable_checkpoint(job.communicator, job.settings);
  print(job.communicator, header(job, static_cast<int>(job.settings.integer("run.threads"))));
  with_precision(job.settings.text("run.precision"), [&](auto number) { transport_as<decltype(number)>(job); });
}

}  // namespace cairn::app
