// What is free, by files as systems write them, in folders of the test; and by a control group that the system makes,
// where it lets us.
#include "cairn/base/process/free_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/base/process/reading_scopes.hpp"

namespace cairn::free_memory_test {
namespace {

namespace fs = std::filesystem;

constexpr Index mega = 1000 * 1000;
constexpr const char* unlimited_v1 = "9223372036854771712";

// A machine of files: /proc, and control groups.
class Machine {
 public:
  Machine() {
    std::string name = fs::temp_directory_path() / "cairn-memory-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
    write("/proc/meminfo", "MemTotal: 64000000 kB\nMemFree: 100 kB\nMemAvailable:   20000000 kB\n");
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  // A group of version 2.
  void group(const std::string& path, const std::string& limit, Index use, Index reclaimable) const {
    const std::string folder = "/sys/fs/cgroup" + path;
    write(folder + "/memory.max", limit + "\n");
    write(folder + "/memory.current", std::to_string(use) + "\n");
    write(folder + "/memory.stat", "anon 5\ninactive_file " + std::to_string(reclaimable) + "\n");
  }
  // A group of version 1.
  void old_group(const std::string& path, const std::string& limit, Index use, Index reclaimable) const {
    const std::string folder = "/sys/fs/cgroup/memory" + path;
    write(folder + "/memory.limit_in_bytes", limit + "\n");
    write(folder + "/memory.usage_in_bytes", std::to_string(use) + "\n");
    write(folder + "/memory.stat", "inactive_file 0\ntotal_inactive_file " + std::to_string(reclaimable) + "\n");
  }
  void unified(const std::string& path, const std::string& root = "/") const {
    write("/proc/self/cgroup", "0::" + path + "\n");
    write("/proc/self/mountinfo",
          "25 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"
          "31 25 0:27 " +
              root + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_1(const std::string& path, const std::string& root = "/") const {
    write("/proc/self/cgroup", "9:name=systemd:/\n8:cpu,cpuacct:/elsewhere\n4:memory:" + path + "\n0::/\n");
    write("/proc/self/mountinfo",
          "40 25 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
          "41 25 0:31 " +
              root + " /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n");
  }
  [[nodiscard]] FreeMemory memory() const { return free_memory({root_ + "/proc", root_}); }

 private:
  std::string root_;
};

TEST(FreeMemoryOfMachines, IsWhatIsAvailableWhereNoGroupLimits) {
  const Machine machine;
  EXPECT_EQ(machine.memory().shared, Index{20000000} * 1024);
  EXPECT_EQ(machine.memory().shared_source, "the machine");
  machine.unified("/user.slice");
  machine.group("/user.slice", "max", 7 * mega, 0);
  EXPECT_EQ(machine.memory().shared, Index{20000000} * 1024);
}

TEST(FreeMemoryOfMachines, IsWhatAGroupLeavesAndItsIdleFiles) {
  const Machine machine;
  machine.unified("/job/step");
  machine.group("/job/step", std::to_string(400 * mega), 150 * mega, 30 * mega);
  const FreeMemory memory = machine.memory();
  EXPECT_EQ(memory.shared, 280 * mega);
  EXPECT_TRUE(memory.shared_source.ends_with("/sys/fs/cgroup/job/step (memory.max)")) << memory.shared_source;
}

TEST(FreeMemoryOfMachines, IsTheLeastOfAGroupAndThoseAboveIt) {
  const Machine machine;
  machine.unified("/job/step/task");
  machine.group("/job/step/task", "max", 10 * mega, 0);
  machine.group("/job/step", std::to_string(900 * mega), 100 * mega, 0);
  machine.group("/job", std::to_string(700 * mega), 500 * mega, 50 * mega);
  EXPECT_EQ(machine.memory().shared, 250 * mega);
  EXPECT_TRUE(machine.memory().shared_source.ends_with("/sys/fs/cgroup/job (memory.max)"));
  machine.group("/job", std::to_string(700 * mega), 800 * mega, 0);  // for a moment a group may be above its limit
  EXPECT_EQ(machine.memory().shared, 0);
}

TEST(FreeMemoryOfMachines, KnowsGroupsOfVersionOne) {
  const Machine machine;
  machine.version_1("/docker/abc");
  machine.old_group("", unlimited_v1, 900 * mega, 0);
  machine.old_group("/docker", unlimited_v1, 900 * mega, 0);
  EXPECT_EQ(machine.memory().shared_source, "the machine");
  machine.old_group("/docker/abc", std::to_string(300 * mega), 120 * mega, 20 * mega);
  EXPECT_EQ(machine.memory().shared, 200 * mega);
  EXPECT_TRUE(machine.memory().shared_source.ends_with("/memory/docker/abc (memory.limit_in_bytes)"));
}

TEST(FreeMemoryOfMachines, CountsCachesOfAGroupAsFree) {
  const Machine machine;
  machine.unified("/job");
  machine.group("/job", std::to_string(400 * mega), 350 * mega, 0);
  machine.write("/sys/fs/cgroup/job/memory.stat",
                "anon 100000000\nactive_file 120000000\ninactive_file 20000000\nslab_reclaimable 10000000\n");
  EXPECT_EQ(machine.memory().shared, 200 * mega);
  machine.write("/sys/fs/cgroup/job/memory.stat", "active_file 300000000\ninactive_file 300000000\n");
  EXPECT_EQ(machine.memory().shared, 400 * mega) << "no more than is used";
  const Machine older;
  older.version_1("/job");
  older.old_group("/job", std::to_string(400 * mega), 350 * mega, 0);
  older.write("/sys/fs/cgroup/memory/job/memory.stat",
              "active_file 1\ntotal_active_file 120000000\ntotal_inactive_file 30000000\n");
  EXPECT_EQ(older.memory().shared, 200 * mega);
}

// A container sees its own group at the mount point; what /proc/self/cgroup says is relative to it, or to the machine.
TEST(FreeMemoryOfMachines, KnowsGroupsOfContainers) {
  for (const auto& [path, root] : std::vector<std::pair<std::string, std::string>>{
           {"/docker/abc", "/docker/abc"}, {"/", "/"}, {"/../..", "/"}, {"/", "/docker/abc"}, {"/gone", "/"}}) {
    const Machine machine;
    machine.version_1(path, root);
    machine.old_group("", std::to_string(300 * mega), 100 * mega, 0);
    EXPECT_EQ(machine.memory().shared, 200 * mega) << path << " of " << root;
    const Machine other;
    other.unified(path, root);
    other.group("", std::to_string(300 * mega), 100 * mega, 0);
    EXPECT_EQ(other.memory().shared, 200 * mega) << path << " of " << root;
  }
}

TEST(FreeMemoryOfMachines, IsUnknownWhereNothingIsToldAndDamageIsNoLimit) {
  const Machine machine;
  machine.write("/proc/meminfo", "MemTotal: 1 kB\n");
  EXPECT_EQ(machine.memory().shared, FreeMemory::unknown);
  machine.write("/proc/self/mountinfo", "41\n\n41 25 0:31 / /sys/fs/cgroup rw - cgroup2\nx y z\n");
  machine.write("/proc/self/cgroup", "0:\n::\n0::/job\n");
  machine.group("/job", "what", 5, 5);
  EXPECT_EQ(machine.memory().shared, FreeMemory::unknown);
}

// Runs `work` in a process of its own, whose limits are then its own; its exit code.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(FreeMemoryOfProcesses, IsWhatItsLimitsLeave) {
#ifdef CAIRN_SANITIZED
  GTEST_SKIP() << "a sanitizer maps more than the limits of this test; a build without one runs it";
#endif
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    EXPECT_EQ(in_child([resource] {
                constexpr Index limit = Index{1} << 40;
                const rlimit lower{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
                if (setrlimit(resource, &lower) != 0) return 1;
                const FreeMemory memory = free_memory();
                if (memory.own_source.find(resource == RLIMIT_AS ? "RLIMIT_AS" : "RLIMIT_DATA") != 0) return 2;
                return memory.own < limit && memory.own > limit - (limit >> 4) ? 0 : 3;
              }),
              0)
        << resource;
  }
}

TEST(HeapCeilings, EndAllocationsAndNotTheProcess) {
#ifdef CAIRN_SANITIZED
  GTEST_SKIP() << "a program with a sanitizer has no heap ceilings; a build without one runs it";
#endif
  EXPECT_EQ(in_child([] {
              constexpr Index budget = Index{64} << 20;
              std::size_t reached = 0;
              try {
                const HeapCeiling ceiling(budget);
                const HeapCeiling within(budget / 16);  // changes nothing
                std::vector<std::string> texts;
                for (;;) {
                  texts.push_back(std::string(1000, 'x'));
                  reached = texts.size();
                }
              } catch (const std::bad_alloc&) {
                if (reached < 10000 || reached > 70000) return 2;
                const std::vector<char> more(2 * budget, 1);  // it is over
                return free_memory().own > 3 * budget ? 0 : 3;
              }
              return 4;
            }),
            0);
}

TEST(ReadingBudgets, RefuseWithTheFiguresAndTheirSource) {
  const ReadingBudget budget({.bytes = 1, .name = "run.memory", .key = "run.memory"});
  ReadingBudget::require(mega, "a.csv: small files take");
  try {
    ReadingBudget::require(500 * mega, "a.csv: its numbers take");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_EQ(std::string(error.what()),
              "a.csv: its numbers take 500 MB, and a rank has 0 MB left of run.memory, 0 MB; use more ranks on other "
              "nodes, or more memory (run.memory = unlimited turns this check off)");
  }
  {
    const ReadingBudget other({.unlimited = true});
    ReadingBudget::require(FreeMemory::unknown - 1, "the latest counts, which has no limit: these take");
  }
  EXPECT_THROW(ReadingBudget::require(500 * mega, "these take"), Error);
}

TEST(ReadingBudgets, SayWhatABufferOrAVectorWasFor) {
#ifdef CAIRN_SANITIZED
  GTEST_SKIP() << "a program with a sanitizer has no heap ceilings; a build without one runs it";
#endif
  const ReadingBudget budget({.bytes = 1, .name = "run.memory", .key = "run.memory"});
  const auto refusal = [](const std::function<void()>& work) -> std::string {
    try {
      within_reading_budget("a.csv: what is read of it takes", work);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource);
      return error.what();
    }
    return "";
  };
  const std::string start = "a.csv: what is read of it takes more than the ";
  EXPECT_TRUE(refusal([] { const Buffer<char> numbers(2000 * mega); }).starts_with(start));
  EXPECT_TRUE(refusal([] { const std::vector<char> numbers(2000 * mega); }).starts_with(start));
  EXPECT_EQ(refusal([] { const Buffer<char> numbers(mega); }), "");
}

TEST(ReadingBudgets, AreWholeWhereOneProcessReadsAlone) {
  const ReadingBudget budget({.processes = 1000});
  const Index part = ReadingBudget::left();
  if (part == FreeMemory::unknown)
    GTEST_SKIP() << "this system does not report free memory; Linux with /proc/meminfo runs it";
  {
    const ReadingAlone alone;
    EXPECT_GT(ReadingBudget::left(), 100 * part);
  }
  EXPECT_LT(ReadingBudget::left(), 10 * part);
}

TEST(ReadingWatches, LeaveInPlaceWhatWasAllowed) {
  const ReadingBudget budget({.bytes = 1});
  ReadingWatch watch("a.npy.gz");
  const std::vector<char> read(300 * mega, 1);
  {
    const ReadingInPlace in_place;
    watch.look();
  }
  EXPECT_THROW(watch.look(), Error);
}

// A group of version 1 or 2 that this process may make and enter: the file of its limit, or nothing.
struct RealGroup {
  std::string folder, limit;
};

std::unique_ptr<RealGroup> real_group() {
  for (const auto& [place, limit] : std::vector<std::pair<std::string, std::string>>{
           {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}}) {
    const std::string folder = place + "/cairn-test-" + std::to_string(getpid());
    if (mkdir(folder.c_str(), 0755) != 0) continue;
    std::ofstream file(folder + "/" + limit);
    file << 400 * mega << std::flush;
    if (file.good()) return std::make_unique<RealGroup>(RealGroup{folder, limit});
    rmdir(folder.c_str());
  }
  return nullptr;
}

TEST(FreeMemoryOfProcesses, IsWhatARealGroupLeaves) {
  const auto group = real_group();
  if (group == nullptr) GTEST_SKIP() << "this user may not make a control group with a limit on memory; root may";
  const int code = in_child([&] {
    {
      std::ofstream procs(group->folder + "/cgroup.procs");
      procs << getpid() << std::flush;
      if (!procs.good()) return 1;
    }
    const FreeMemory before = free_memory();
    if (before.shared_source != "cgroup " + group->folder + " (" + group->limit + ")") return 2;
    if (before.shared > 400 * mega || before.shared < 300 * mega) return 3;
    const std::vector<char> taken(100 * mega, 1);
    const Index less = before.shared - free_memory().shared;
    return less > 90 * mega && less < 130 * mega ? 0 : 4;
  });
  rmdir(group->folder.c_str());
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace cairn::free_memory_test
