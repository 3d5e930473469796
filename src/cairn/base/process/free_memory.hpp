// Memory that the processes of this machine may still take, by whatever limits them: the machine, a control group
// (cgroup: containers, batch systems, systemd), limits of the process (ulimit).
#pragma once

#include <limits>
#include <string>

#include "cairn/base/index.hpp"

namespace cairn {

/// Where the system tells of its memory; tests name folders of their own.
struct MemoryPlaces {
  std::string proc = "/proc";
  std::string root = {};  ///< in front of the mount points of control groups
};

/// What is free, and who says so in words: "cgroup /sys/fs/cgroup/job (memory.max)".
struct FreeMemory {
  static constexpr Index unknown = std::numeric_limits<Index>::max();

  Index shared = unknown;  ///< for all processes of the machine or control group together
  std::string shared_source = "the machine";
  Index own = unknown;  ///< for this process alone
  std::string own_source = {};
};

/// The least of what the machine has available (MemAvailable) and what the memory limit of the process's control group,
/// or of one above it, leaves: the limit less what is used, where what the system gives back (caches of files) counts
/// as free. Versions 1 and 2 of control groups. Then the least of what RLIMIT_AS and RLIMIT_DATA leave. Swap is
/// not counted. Local.
[[nodiscard]] FreeMemory free_memory(const MemoryPlaces& places = {});

/// Lowers RLIMIT_DATA of this process while it lives: what C++ and C allocate beyond so many bytes more fails, in place
/// of a process that is killed. One within another changes nothing. Local; not for work that communicates.
class HeapCeiling {
 public:
  /// @param bytes  that may still be allocated
  explicit HeapCeiling(Index bytes);
  ~HeapCeiling();
  HeapCeiling(const HeapCeiling&) = delete;
  HeapCeiling& operator=(const HeapCeiling&) = delete;

 private:
  bool lowered_ = false;
};

}  // namespace cairn
