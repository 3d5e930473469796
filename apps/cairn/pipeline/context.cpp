#include "pipeline/context.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cairn/base/schedule/phases.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/parameters/units.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

std::uint64_t seed_of(const Settings& settings) {
  return settings.knows("run.seed") ? static_cast<std::uint64_t>(settings.integer("run.seed")) : 0;
}

}  // namespace

Context::Context(const Communicator& communicator, int threads, std::uint64_t seed)
    : execution_{communicator, phases_, ledger_, threads, seed} {
  set_blas_threads(threads);
}

Context::Context(const Communicator& communicator, const Settings& settings)
    : Context(communicator, static_cast<int>(settings.integer("run.threads")), seed_of(settings)) {}

double Context::seconds() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return execution_.communicator.maximum(elapsed.count());
}

void finish_report(const Job& job, Context& context, const TaskReport& report) {
  const auto phases = context.phases().summarize(job.communicator);
  const double total = context.seconds();
  const Index peak = job.communicator.maximum(peak_resident_bytes());
  print(job.communicator,
        phase_report(phases, total) + fmt::format("\n  peak memory                 {} on the largest rank\n",
                                                  format_bytes(static_cast<double>(peak))));
  nlohmann::ordered_json json = header_json(job, context.execution().threads);
  json.update(json_of(report.metrics));
  json["peak_bytes"] = peak;
  json.update(phases_json(phases, total));
  write_json(job, json);
}

}  // namespace cairn::app
