// The commands that run tasks on results (train, cluster, embed): choose the task, run it and report.
#include "cairn/task/task.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "cairn/parameters/settings.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "models/model_commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "pipeline/stored_matrix.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"
#include "report/version.hpp"

namespace cairn::app {

void run_task_command(Job& job) {
  const Settings& settings = job.settings;
  const TaskDescriptor& task = task_of(settings);
  const std::string output = output_option(task);
  const bool of_points = !task.needs.argument.empty();
  if (!output.empty() && !of_points) protect_stored_data(job, task_output(settings), job.arguments);  // their inputs
  if (output == "out") check_output(job, output);
  if (output == "output.path") check_output(job, output, OutputForm::model);
  check_output(job, "json");
  const bool keeps = settings.knows("run.checkpoint") && !settings.text("run.checkpoint").empty();
  if (keeps) {
    check_output(job, "run.checkpoint");
    require_usable_checkpoint(job.communicator, settings);
  }
  Context context(job.communicator, settings);
  const int threads = context.execution().threads;
  bool begun = false;
  const auto tell = [&](const ReportText& text) {
    if (!begun) print(job.communicator, header(job, threads));
    begun = true;
    print_result(job.communicator, text_of(text));
  };
  std::unique_ptr<RunCheckpoint> checkpoint;
  const auto begin_checkpoint = [&](std::uint64_t digest) {
    checkpoint = make_checkpoint(job.communicator, settings, context.ledger(), version(), context.start(), digest);
    if (checkpoint->restarts_from_nothing()) print(job.communicator, no_checkpoint(settings));
  };
  const TaskReport report = run_task(task, {.execution = context.execution(),
                                            .results = job.arguments,
                                            .values = task_values(settings),
                                            .output = task_output(settings),
                                            .memory = memory_of(settings),
                                            .provenance = run_provenance(job, threads),
                                            .keys = {.data = data_keys, .approximation = approximation_keys},
                                            .matrix_single = find_stored_matrix<float>(context.execution(), settings),
                                            .matrix_double = find_stored_matrix<double>(context.execution(), settings),
                                            .points = of_points ? std::optional(data_values(settings)) : std::nullopt,
                                            .method = method_values(settings, task),
                                            .precision = of_points ? settings.text("run.precision") : "double",
                                            .begin_checkpoint = keeps ? begin_checkpoint : TaskInput::BeginCheckpoint(),
                                            .tell = tell});
  if (checkpoint) checkpoint->remove();
  if (!begun) tell(report.text);
  finish_report(job, context, report);
}

}  // namespace cairn::app
