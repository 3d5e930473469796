// What a command computes in.
#pragma once

#include <chrono>
#include <cstdint>

#include "cairn/base/execution.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/store/checkpoint/checkpoint.hpp"
#include "cairn/task/task_report.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// A ledger of which it can be said late what it is.
class RunLedger final : public TileLedger {
 public:
  /// From now on finished tiles go into `checkpoint`.
  void keep_in(Checkpoint& checkpoint) { target_ = &checkpoint; }

  void begin(const char* name, Index tiles) override { target_->begin(name, tiles); }
  bool get(Index tile, std::span<std::byte> bytes) override { return target_->get(tile, bytes); }
  void put(Index tile, std::span<const std::byte> bytes) override { target_->put(tile, bytes); }
  bool due(double begun) override { return target_->due(begun); }
  void keep(Index tile, std::span<const std::byte> bytes) override { target_->keep(tile, bytes); }
  void settle() override { target_->settle(); }

 private:
  MemoryLedger nothing_;
  TileLedger* target_ = &nothing_;
};

/// An Execution with its own phases and ledger, and the clock of the run. Sets the threads of the BLAS.
class Context {
 public:
  Context(const Communicator& communicator, int threads, std::uint64_t seed);
  /// With run.threads, and run.seed where the command has it.
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

/// Prints the phases, and writes what was found, with them and the peak of memory, to the
/// file that --json names. Collective.
void finish_report(const Job& job, Context& context, const TaskReport& report);

}  // namespace cairn::app
