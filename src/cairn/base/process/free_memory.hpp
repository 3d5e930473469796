// Memory that the processes of this machine may still take, by all limits: the machine, a control group (cgroup:
// containers, batch systems, systemd), limits of the process (ulimit).
#pragma once

#include <limits>
#include <string>

#include "cairn/base/index.hpp"

namespace cairn {

/// Places where the system reports its memory; tests use folders of their own.
struct MemoryPlaces {
  std::string proc = "/proc";
  std::string root = {};  ///< in front of the mount points of control groups
};

/// Free memory, and its source in words: "cgroup /sys/fs/cgroup/job (memory.max)".
struct FreeMemory {
  static constexpr Index unknown = std::numeric_limits<Index>::max();

  Index shared = unknown;  ///< for all processes of the machine or control group together
  std::string shared_source = "the machine";
  Index own = unknown;  ///< for this process alone
  std::string own_source = {};
};

/// `shared` is the least of the available memory of the machine (MemAvailable) and of what the memory limits of the
/// process's control group and of those above it leave: the limit less the use, where reclaimable memory (file caches)
/// counts as free. Supports control groups of versions 1 and 2. `own` is the least of what RLIMIT_AS and RLIMIT_DATA
/// leave. Swap is not counted. Local.
[[nodiscard]] FreeMemory free_memory(const MemoryPlaces& places = {});

/// Lowers RLIMIT_DATA of this process during its lifetime: C++ and C allocations beyond `bytes` more fail, instead of
/// the process being killed. Nested ones have no effect. Local; not for work that communicates.
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
