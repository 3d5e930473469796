#include "pipeline/finish_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/base/phases.hpp"
#include "cairn/parameters/units.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

void finish_report(const Job& job, Context& context, const TaskReport& report) {
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  const Index peak = job.communicator.maximum(peak_resident_bytes());
  print(job.communicator,
        phase_report(phases, total) + fmt::format("\n  peak memory                 {} on the largest rank\n",
                                                  format_bytes(static_cast<double>(peak))));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update(json_of(report.figures));
  json["peak_bytes"] = peak;
  json.update(phases_json(phases, total));
  write_json(job, json);
}

}  // namespace cairn::app
