// One run at a time on a checkpoint.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "cairn/base/process/partial_file.hpp"

namespace cairn {

/// The file `CHECKPOINT.lock` of the run that works on a checkpoint: it says on which host, in which process and job,
/// and since when. It goes with the object, and where a signal or the watchdog ends the program. What a killed run left
/// is taken over where it is known that the run has ended: its process is gone from this host, or the host was started
/// anew, or Slurm has started the same job again; and where it is of another host or container, and nobody touched it
/// for `lost_after`: a thread of the run touches it each minute, whatever the run does.
class CheckpointLock {
 public:
  static constexpr std::chrono::seconds lost_after{600};

  /// Takes the lock. One rank. @param name  what messages call the path of the checkpoint
  /// @param touches  how often the file is touched
  /// @throws Error(usage) with what the lock says and how to go on if another run has it, or it cannot be told whether
  ///   that run has ended; Error(usage), Error(resource) if the file cannot be made
  CheckpointLock(const std::string& checkpoint, const std::string& name,
                 std::chrono::milliseconds touches = std::chrono::minutes{1});
  ~CheckpointLock();
  CheckpointLock(const CheckpointLock&) = delete;
  CheckpointLock& operator=(const CheckpointLock&) = delete;

  /// Whether the file is still that of this run: nobody removed or replaced it. One rank.
  [[nodiscard]] bool is_own() const;
  /// That the lock of a run that had ended was there, as a sentence; empty: there was none.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::string path_, text_, note_;
  int file_ = -1;
  std::optional<HeldFile> registered_;
  std::jthread toucher_;
};

/// @throws as the constructor if another run works on the checkpoint. Leaves nothing; a lock of another
/// host is held against the time of a file that is made beside it for a moment. One rank.
void require_unlocked(const std::string& checkpoint);

}  // namespace cairn
