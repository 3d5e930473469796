#include "cairn/base/process/free_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace cairn {

namespace {

// The number after "key" in a file of lines "key number ...", with or without a colon; nothing if there is none.
std::optional<Index> number_of(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    Index value = 0;
    if (fields >> name && name == key) return fields >> value ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

// The number in a file; nothing if the file is missing or holds a word ("max").
std::optional<Index> number_in(const std::string& path) {
  std::ifstream file(path);
  Index value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// Decodes a mount point of mountinfo, where blanks are \040.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    unsigned code = 0;
    constexpr std::size_t digits = 3;
    const char* const first = text.data() + k + 1;
    if (text[k] == '\\' && k + digits < text.size() &&
        std::from_chars(first, first + digits, code, 8).ptr == first + digits) {
      plain += static_cast<char>(code);
      k += digits;
    } else {
      plain += text[k];
    }
  }
  return plain;
}

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

// A mounted hierarchy of control groups that may limit memory.
struct GroupMount {
  bool unified = false;  // version 2
  std::string root;      // the group that the mount point shows
  std::string point;
};

// Parses a line of mountinfo: "36 25 0:31 ROOT POINT OPTIONS [shared:1 ...] - TYPE SOURCE OPTIONS".
std::optional<GroupMount> group_mount(const std::string& line) {
  std::istringstream fields(line);
  std::string skipped, root, point, type, options;
  if (!(fields >> skipped >> skipped >> skipped >> root >> point)) return std::nullopt;
  while (fields >> skipped && skipped != "-") continue;
  if (!(fields >> type >> skipped)) return std::nullopt;
  fields >> options;
  if (type == "cgroup2") return GroupMount{true, unescaped(root), unescaped(point)};
  if (type == "cgroup" && has_word(options, "memory")) return GroupMount{false, unescaped(root), unescaped(point)};
  return std::nullopt;
}

// The process's group in /proc/self/cgroup: "0::PATH" of version 2, "4:memory:PATH" of version 1.
std::optional<std::string> group_path(const MemoryPlaces& places, bool unified) {
  std::ifstream file(places.proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_word(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

// Names of a group's files, and of the entries in memory.stat for used memory that is reclaimable.
struct GroupFiles {
  const char *limit, *use;
  std::array<const char*, 3> reclaimable;
};
constexpr GroupFiles version_2{"memory.max", "memory.current", {"inactive_file", "active_file", "slab_reclaimable"}};
constexpr GroupFiles version_1{
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file", nullptr}};

void take_least(Index bytes, const std::string& source, Index& least, std::string& least_source) {
  if (bytes >= least) return;
  least = bytes;
  least_source = source;
}

// Applies the limit of one group. Version 1 writes "no limit" as a number near 2^63.
void take_group(const std::string& folder, const GroupFiles& files, FreeMemory& memory) {
  constexpr Index none = Index{1} << 60;
  const auto limit = number_in(folder + "/" + files.limit), use = number_in(folder + "/" + files.use);
  if (!limit || !use || *limit >= none) return;
  Index reclaimable = 0;
  for (const char* name : files.reclaimable) {
    if (name != nullptr)
      reclaimable += std::clamp<Index>(number_of(folder + "/memory.stat", name).value_or(0), 0, *use);
  }
  reclaimable = std::clamp<Index>(reclaimable, 0, *use);
  take_least(std::max<Index>(0, *limit - (*use - reclaimable)), "cgroup " + folder + " (" + files.limit + ")",
             memory.shared, memory.shared_source);
}

// Applies the limits of the process's group and of all groups above it, up to the mount point.
void take_groups(const MemoryPlaces& places, const GroupMount& mount, FreeMemory& memory) {
  const auto path = group_path(places, mount.unified);
  if (!path) return;
  std::string below = *path;
  const std::string& root = mount.root;
  if (root != "/") {  // only part of the hierarchy is mounted, as in a container
    const bool within = below.starts_with(root) && (below.size() == root.size() || below[root.size()] == '/');
    below = within ? below.substr(root.size()) : "";
  }
  if (below.starts_with("/..")) below.clear();  // outside the namespace of groups
  const std::string point = places.root + (mount.point == "/" ? "" : mount.point);
  for (;;) {
    while (below.ends_with('/')) below.pop_back();
    take_group(point + below, mount.unified ? version_2 : version_1, memory);
    if (below.empty()) return;
    below.erase(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
  }
}

// RLIMIT_DATA outside a HeapCeiling, while one exists.
std::optional<rlimit> outer_limit;

std::optional<Index> left_of(int resource, const std::string& status, std::string_view used) {
  rlimit limit{};
  if (resource == RLIMIT_DATA && outer_limit) {
    limit = *outer_limit;
  } else if (getrlimit(resource, &limit) != 0) {
    return std::nullopt;
  }
  const auto kibibytes = number_of(status, used);
  if (limit.rlim_cur == RLIM_INFINITY || !kibibytes) return std::nullopt;
  constexpr auto most = static_cast<rlim_t>(FreeMemory::unknown);
  return std::max<Index>(0, static_cast<Index>(std::min(limit.rlim_cur, most)) - *kibibytes * 1024);
}

}  // namespace

FreeMemory free_memory(const MemoryPlaces& places) {
  FreeMemory memory;
  if (const auto kibibytes = number_of(places.proc + "/meminfo", "MemAvailable:")) memory.shared = *kibibytes * 1024;
  std::ifstream mounts(places.proc + "/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (const auto mount = group_mount(line)) take_groups(places, *mount, memory);
  }
  const std::string status = places.proc + "/self/status";
  if (const auto left = left_of(RLIMIT_AS, status, "VmSize:"))
    take_least(*left, "RLIMIT_AS (ulimit -v)", memory.own, memory.own_source);
  if (const auto left = left_of(RLIMIT_DATA, status, "VmData:"))
    take_least(*left, "RLIMIT_DATA (ulimit -d)", memory.own, memory.own_source);
  return memory;
}

#ifdef CAIRN_SANITIZED
// A sanitizer's malloc ends the program if the system refuses memory.
HeapCeiling::HeapCeiling(Index /*bytes*/) {}
#else
HeapCeiling::HeapCeiling(Index bytes) {
  rlimit limit{};
  const auto kibibytes = number_of("/proc/self/status", "VmData:");
  if (outer_limit || !kibibytes || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  if (bytes >= FreeMemory::unknown - *kibibytes * 1024) return;
  const auto most = static_cast<rlim_t>(bytes + *kibibytes * 1024);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most) return;
  const rlimit lower{most, limit.rlim_max};
  if (setrlimit(RLIMIT_DATA, &lower) != 0) return;
  outer_limit = limit;
  lowered_ = true;
}
#endif

HeapCeiling::~HeapCeiling() {
  if (!lowered_) return;
  setrlimit(RLIMIT_DATA, &*outer_limit);
  outer_limit.reset();
}

}  // namespace cairn
