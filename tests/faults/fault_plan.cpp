#include "fault_plan.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cairn::faults {

namespace {

constexpr auto points = static_cast<std::size_t>(Point::count);
constexpr std::array<const char*, points> names{"allocation", "large-allocation", "open", "read",      "write", "size",
                                                "fsync",      "rename",           "mpi",  "similarity"};

struct Plan {
  bool active = false, to_the_end = false, kills = false;
  std::size_t point = points;
  long count = 0;
  const char* log = nullptr;
  const char* synced = nullptr;
  std::array<char, 4096> folder{};
};
Plan plan;
std::array<std::atomic<long>, points> calls{};
thread_local int depth = 0;

void say(const char* text) noexcept {
  if (plan.log == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, plan.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, text, std::strlen(text));
  syscall(SYS_close, file);
}

// POINT:RANK:COUNT[+][:kill]. A fault that cannot be read ends the process: a test must not pass for a spelling.
void read_fault(const char* text, const char* rank) {
  std::array<char, 64> point{};
  long at = -1;
  int used = 0;
  if (std::sscanf(text, "%63[^:]:%ld:%ld%n", point.data(), &at, &plan.count, &used) != 3) std::abort();
  for (std::size_t k = 0; k < points; ++k) {
    if (std::strcmp(point.data(), names[k]) == 0) plan.point = k;
  }
  if (plan.point == points) std::abort();
  plan.to_the_end = text[used] == '+';
  plan.kills = std::strstr(text + used, ":kill") != nullptr;
  if (at != std::atol(rank)) plan.point = points;  // this rank only counts
}

__attribute__((constructor)) void start() {
  const char* fault = std::getenv("CAIRN_FAULT");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = "0";
  plan.log = std::getenv("CAIRN_FAULT_LOG");
  plan.synced = std::getenv("CAIRN_FAULT_SYNCED");
  if (const char* folder = std::getenv("CAIRN_FAULT_FOLDER"))
    std::snprintf(plan.folder.data(), plan.folder.size(), "%s/", folder);
  if (fault == nullptr) return;
  read_fault(fault, rank);
  plan.active = true;
}

__attribute__((destructor)) void finish() {
  if (!plan.active) return;
  plan.active = false;
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  for (std::size_t k = 0; k < points; ++k) {
    std::array<char, 128> line{};
    std::snprintf(line.data(), line.size(), "counted %s %s %ld\n", rank == nullptr ? "0" : rank, names[k],
                  calls[k].load());
    say(line.data());
  }
}

}  // namespace

bool fails(Point point, const char* what) noexcept {
  if (!plan.active || depth > 0) return false;
  const auto k = static_cast<std::size_t>(point);
  const long call = ++calls[k];
  if (k != plan.point || plan.count == 0 || call < plan.count || (call > plan.count && !plan.to_the_end)) return false;
  if (call == plan.count) {
    std::array<char, 512> line{};
    std::snprintf(line.data(), line.size(), "fired %s %ld: %s\n", names[k], call, what);
    say(line.data());
    if (plan.kills) kill(getpid(), SIGKILL);
  }
  return true;
}

const char* folder() noexcept { return plan.folder.data(); }
const char* synced_folder() noexcept { return plan.synced; }

Inside::Inside() noexcept { ++depth; }
Inside::~Inside() { --depth; }

void* next_function(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }

}  // namespace cairn::faults

// The similarities' point is in the program itself (similarity_fault.cpp), which asks here.
extern "C" bool cairn_fault_similarity(const char* what) {
  return cairn::faults::fails(cairn::faults::Point::similarity, what);
}
