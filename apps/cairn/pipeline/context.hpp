// Execution environment of a command.
#pragma once

#include <chrono>
#include <cstdint>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/task/task_report.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// An Execution with its own phases and ledger, and the clock of the run. Sets the threads of the BLAS.
class Context {
 public:
  Context(const Communicator& communicator, int threads, std::uint64_t seed);
  /// Uses run.threads, and run.seed if the command has it.
  Context(const Communicator& communicator, const Settings& settings);

  [[nodiscard]] const Execution& execution() const { return execution_; }
  [[nodiscard]] Phases& phases() { return phases_; }
  [[nodiscard]] RunLedger& ledger() { return ledger_; }
  /// Wall seconds since its construction, the maximum over ranks. Collective.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::chrono::steady_clock::time_point start() const { return start_; }

 private:
  Phases phases_;
  RunLedger ledger_;
  Execution execution_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Prints the phases, and writes the report, the phases and the peak memory to the file of --json. Collective.
void finish_report(const Job& job, Context& context, const TaskReport& report);

}  // namespace cairn::app
