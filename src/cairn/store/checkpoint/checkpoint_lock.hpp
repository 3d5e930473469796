// Ensures that only one run at a time uses a checkpoint.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

/// The file `CHECKPOINT.lock` of the run that uses a checkpoint. It states the host, process, job and start time. It is
/// removed with the object, and if a signal or the watchdog ends the program. The lock of a killed run is taken over if
/// that run is known to have ended: its process no longer exists on this host, the host was restarted, or Slurm
/// restarted the same job. The lock of another host or container is taken over if it was not touched for `lost_after`:
/// a thread of the run touches it every minute, whatever the run does.
class CheckpointLock {
 public:
  static constexpr std::chrono::seconds lost_after{600};

  /// Takes the lock. One rank. @param name  name of the checkpoint's path in messages
  /// @param touches  time between two touches of the file
  /// @throws Error(usage) with the content of the lock and instructions if another run holds it, or if it cannot be
  /// determined whether that run has ended; Error(usage), Error(resource) if the file cannot be created
  CheckpointLock(const std::string& checkpoint, const std::string& name,
                 std::chrono::milliseconds touches = std::chrono::minutes{1});
  ~CheckpointLock();
  CheckpointLock(const CheckpointLock&) = delete;
  CheckpointLock& operator=(const CheckpointLock&) = delete;

  /// True if the file still belongs to this run: it was not removed or replaced. One rank.
  [[nodiscard]] bool is_own() const;
  /// States, as a sentence, that the lock of an ended run was taken over; empty if there was none.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::string path_, text_, note_;
  int file_ = -1;
  std::optional<HeldFile> registered_;
  std::jthread toucher_;
};

/// @throws as the constructor if another run uses the checkpoint. Leaves no file. The age of another host's lock is
/// measured with a file that is created beside it for a moment. One rank.
void require_unlocked(const std::string& checkpoint);

}  // namespace cairn
