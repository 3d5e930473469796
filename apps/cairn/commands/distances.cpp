// cairn distances: a table of exact path lengths, or those of pairs, from a graph or from a file that stores its
// hierarchy.
#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/run/distances/path_pairs.hpp"
#include "cairn/run/distances/path_table.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/result_file.hpp"
#include "commands/commands.hpp"
#include "commands/completed_source.hpp"
#include "commands/line_output.hpp"
#include "pipeline/context.hpp"
#include "report/data_report.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

Values options_of(const Settings& settings) { return Values(path_table_options(), settings, "").named(task_keys); }

PathLengthSource source_of(const Job& job, const Execution& execution) {
  const Settings& settings = job.settings;
  const std::string& path = job.arguments.front();
  if (!settings.text("weights").empty() || is_completed_graph(job.communicator, path)) {
    return customized_lengths(execution, completed_source(job, execution));
  }
  if (!is_result(job.communicator, path)) {
    return read_path_lengths_of_graph(
        execution, Values(graph_data().parameters, settings, data_prefix).with("path", path),
        Values(path_length_similarity().parameters, settings, "similarity.").named(similarity_keys));
  }
  refuse_graph_keys(settings, path, "a result");
  return read_path_lengths_of_result(execution, path);
}

}  // namespace

void check_distances(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  check_path_table(options_of(settings));
}

void run_distances(Job& job) {
  const Values options = options_of(job.settings);
  const bool pairs = options.given("pairs");
  pairs ? check_output(job, "out", OutputForm::values) : check_output(job, "out");
  for (const char* output : {"snapped", "json"}) check_output(job, output);
  if (pairs && !options.given("out")) be_quiet(true);  // stdout contains only lengths
  Context context(job.communicator, job.settings);
  const Execution& execution = context.execution();
  print(job.communicator, header(job, execution.threads));
  const PathLengthSource source = source_of(job, execution);
  print(job.communicator, data_report(source.facts));
  const auto tell = [&](const ReportText& text) { print(job.communicator, text_of(text)); };
  TaskReport report;
  if (pairs) {
    LineOutput output(job);
    report = answer_path_pairs(execution, source, options, tell, [&](const std::string& lines) { output.take(lines); });
    report.metrics.emplace_back("out", output.complete());
  } else {
    report = write_path_table(execution, source, options, memory_of(job.settings), tell);
  }
  tell(report.text);
  finish_report(job, context, report);
}

}  // namespace cairn::app
