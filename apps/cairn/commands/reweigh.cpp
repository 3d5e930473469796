// cairn reweigh: a graph with the completion of its hierarchy in a file, perhaps with new lengths of its edges.
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/store/output_path.hpp"
#include "commands/commands.hpp"
#include "commands/completed_source.hpp"
#include "pipeline/context.hpp"
#include "report/data_report.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

void check_reweigh(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  const std::string& out = settings.text("out");
  if (out.empty()) throw Error(ErrorKind::usage, "--out is missing, the file that is written");
  if (out.ends_with(".h5") || out.ends_with(".hdf5")) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} = {}: the name of a hierarchy ends in .h5 or .hdf5", settings.where("out"), out));
}

void run_reweigh(Job& job) {
  const OutputPath out(job.settings.text("out"), job.settings.where("out"));
  check_output(job, "out", OutputForm::completed_graph);
  check_output(job, "json");
  Context context(job.communicator, job.settings);
  const Execution& execution = context.execution();
  print(job.communicator, header(job, execution.threads));
  const CompletedSource source = completed_source(job, execution);
  print(job.communicator, data_report(source.facts));
  const TaskReport report = write_completed_source(execution, source, out);
  print(job.communicator, text_of(report.text));
  finish_report(job, context, report);
}

}  // namespace cairn::app
