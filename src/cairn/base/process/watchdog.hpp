// Ends a run that makes no progress any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// During its lifetime, a thread monitors the progress of this rank; after `limit` without progress, it prints one
/// message to stderr and aborts all ranks with the exit code of Error(resource). One per process. A dead peer, a
/// hanging file system or a deadlock thus ends in bounded time. Time in which the process was stopped is not counted: a
/// suspended job can continue.
class Watchdog {
 public:
  /// @param limit  zero: no monitoring @param name  name in the message; empty: none
  Watchdog(const Communicator& communicator, std::chrono::seconds limit, const std::string& name = "");
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Reports progress: a finished tile, a received message, a new phase. Any thread; does not read the clock.
  static void beat();

  /// The longest grace period that Patience grants, in seconds: a day.
  static constexpr double longest_patience = 24 * 3600.0;

  /// During its lifetime, `seconds` more of silence are allowed, but no more than a day: for a library call that cannot
  /// report its progress, or ranks that are silent while they compute.
  class Patience {
   public:
    explicit Patience(double seconds);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;

   private:
    long milliseconds_;
  };

 private:
  void watch(MPI_Comm handle, int rank, std::chrono::seconds limit, const std::string& name);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace cairn
