// What a command computes in.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/execution.hpp"
#include "settings.hpp"

namespace cairn::app {

/// An Execution with its own phases and ledger, and the clock of the run. Sets the threads of the BLAS.
class Context {
 public:
  Context(const Communicator& communicator, int threads, std::uint64_t seed);
  /// With run.threads, and run.seed where the command has it.
  Context(const Communicator& communicator, const Settings& settings);

  [[nodiscard]] const Execution& execution() const { return execution_; }
  [[nodiscard]] Phases& phases() { return phases_; }
  /// Wall seconds since its construction, the maximum over ranks. Collective.
  [[nodiscard]] double seconds() const;

 private:
  Phases phases_;
  MemoryLedger ledger_;
  Execution execution_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cairn::app
