#include "cairn/run/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/same_words.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_kernels.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

MPI_Comm running(MPI_Comm ranks) {
  int started = 0, finished = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&finished);
  if (started != 0 && finished == 0) return ranks;
  throw Error(ErrorKind::usage, "a session lives between MPI_Init and MPI_Finalize");
}

MemoryLimit memory_limit(Index bytes) { return {.bytes = std::max<Index>(bytes, 0), .unlimited = bytes < 0}; }

}  // namespace

struct Session::State {
  State(MPI_Comm ranks, SessionOptions given)
      : options(std::move(given)),
        communicator(running(ranks)),
        ledger(options.watch),
        execution{communicator, phases, ledger, options.threads, options.seed},
        watchdog(communicator, options.stall_timeout),
        budget(memory_limit(options.memory).for_readers(communicator)) {}

  SessionOptions options;
  Communicator communicator;
  Phases phases;
  RunLedger ledger;
  Execution execution;
  Watchdog watchdog;
  ReadingBudget budget;
};

Session::Session(MPI_Comm ranks, const SessionOptions& options) : state_(std::make_shared<State>(ranks, options)) {
  collectively(communicator(), [&] {
    if (options.threads >= 1 && options.memory >= unlimited_memory) return;
    throw Error(ErrorKind::usage, fmt::format("a session of {} threads and {} bytes per rank; it takes 1 thread or "
                                              "more, and 0 bytes or more",
                                              options.threads, options.memory));
  });
  require_same_call("Session", {fmt::format("seed {}", options.seed), fmt::format("memory {}", options.memory),
                                fmt::format("scratch folder {}", options.scratch_folder),
                                fmt::format("stall timeout {} s", options.stall_timeout.count())});
  choose_blas_kernels();
  set_blas_threads(options.threads);
}

void Session::require_same_call(const std::string& function, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), function);
  require_same_words(communicator(), arguments, "all ranks must call " + function + "() with the same arguments");
}

const Communicator& Session::communicator() const { return state_->communicator; }
const Execution& Session::execution() const { return state_->execution; }
const SessionOptions& Session::options() const { return state_->options; }
RunLedger& Session::ledger() const { return state_->ledger; }
MemoryLimit Session::memory() const { return memory_limit(state_->options.memory); }
std::vector<PhaseSummary> Session::phases() const { return state_->phases.summarize(state_->communicator); }
std::shared_ptr<const void> Session::share() const { return state_; }

}  // namespace cairn
