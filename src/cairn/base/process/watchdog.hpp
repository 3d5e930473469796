// Ends a run of which nothing is heard any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// While it lives, a thread looks whether this rank makes progress; if it makes none for `limit`, one message goes
/// to stderr and all ranks are aborted with Error(resource)'s exit code. One a process. A peer that died, a file system
/// that hangs or a deadlock so end in bounded time. Time in which the process was stopped, and so did not wake up, is
/// not counted: a job that is suspended goes on.
class Watchdog {
 public:
  /// @param limit  zero: no watching @param name  what the message calls it; empty: it is not named
  Watchdog(const Communicator& communicator, std::chrono::seconds limit, const std::string& name = "");
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Tells that progress was made: a tile finished, a message came, a phase began. Any thread; costs no clock reading.
  static void beat();

  /// The most that Patience grants, in seconds: a day.
  static constexpr double longest_patience = 24 * 3600.0;

  /// While it lives, silence is expected for `seconds` more, but no more than a day: a library call that cannot tell
  /// its progress, or ranks of which nothing is heard while they compute.
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
