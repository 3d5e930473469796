// cairn approximate: config -> result file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/base/process/peak_memory.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/run/request/request_rules.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "commands/commands.hpp"
#include "pipeline/context.hpp"
#include "report/data_report.hpp"
#include "report/report.hpp"

namespace cairn::app {

namespace {

template <class T>
void approximate_as(Job& job, Index baseline) {
  const Settings& settings = job.settings;
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  const auto show = [&](const std::string& text) { print(job.communicator, text); };
  const RunSurroundings around{.execution = execution,
                               .ledger = context.ledger(),
                               .start = context.start(),
                               .baseline = baseline,
                               .provenance = run_provenance(job, execution.threads),
                               .tell_facts = [&](const std::vector<DataFact>& facts) { show(data_report(facts)); },
                               .tell = show};
  const RunRequest request = request_of(settings);
  const Data<T> data = read_and_plan<T>(around, request);
  const RunMetrics metrics = run_request(around, request, data).metrics;
  const RunTotals& totals = metrics.totals;
  std::string vectors;
  if (const std::string& path = settings.text("output.vectors"); !path.empty()) {
    vectors = fmt::format("  vectors                     {}, {} x {}\n", path, grouped(metrics.factors.objects),
                          metrics.method.rank);
  }
  show(report(metrics) +
       fmt::format("  result                      {}, {}\n", request.path.file,
                   format_bytes(static_cast<double>(totals.result_bytes))) +
       fmt::format("  written at                  {:.0f} MB/s\n", write_rate(totals) / 1e6) + vectors);
  nlohmann::ordered_json json = header_json(job, execution.threads);
  json.update(metrics_json(metrics));
  json[data.facts_name] = data_json(data.facts);
  json["output"] = request.path.file;
  json["result_bytes"] = totals.result_bytes;
  json["write_bytes_per_second"] = write_rate(totals);
  write_json(job, json);
  require_reached(request.method, metrics.description, request.path.file);
}

}  // namespace

void check_approximate(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  const RunRequest request = checked_request(settings);
  require_whole(request);
  settings.required("output.path");
  if (settings.given("output.hierarchy") && settings.flag("output.hierarchy") &&
      !may_use_hierarchy(request.similarity.values)) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if similarity.search is {}",
                                              settings.where("output.hierarchy"), settings.text("similarity.search")));
  }
  refuse_unused_checkpoint_keys(settings);
}

void run_approximate(Job& job) {
  const Settings& settings = job.settings;
  const Index baseline = job.communicator.maximum(resident_bytes());
  check_output(job, "output.path");
  check_output(job, "output.operator");
  check_output(job, "output.vectors");
  check_output(job, "run.checkpoint");
  check_output(job, "json");
  require_usable_checkpoint(job.communicator, settings);
  print(job.communicator, header(job, static_cast<int>(settings.integer("run.threads"))));
  if (settings.text("run.precision") == "single") {
    approximate_as<float>(job, baseline);
  } else {
    approximate_as<double>(job, baseline);
  }
}

}  // namespace cairn::app
