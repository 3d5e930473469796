#include "cairn/store/checkpoint/checkpoint_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/same_words.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

using Facts = std::map<std::string, std::string>;

std::string lock_of(const std::string& checkpoint) { return checkpoint + ".lock"; }

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// Start time of a process, in ticks since the system started: process numbers are reused. Empty if there is no such
// process.
std::string beginning_of(const std::string& process) {
  const std::string line = first_line("/proc/" + process + "/stat");
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return "ended";  // its exit status was not collected yet
  constexpr int fields_between = 19;                 // it is field 22; the name is field 2, the state field 3
  for (int k = 0; k < fields_between; ++k) fields >> field;
  return field;
}

// True if a process of this host with that start time still runs. /proc may hide processes of other users (hidepid).
bool lives(const std::string& process, const std::string& began) {
  if (const std::string now = beginning_of(process); !now.empty()) return now == began;
  const long number = std::strtol(process.c_str(), nullptr, 10);
  return number > 0 && (::kill(static_cast<pid_t>(number), 0) == 0 || errno == EPERM);
}

// With the offset from UTC: hosts that share a file may be in different time zones.
std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::array<char, 64> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", ::localtime_r(&now, &local));
  return {text.data(), length};
}

std::string job_of_this_run() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
    if (std::string job = variable(name); !job.empty()) return job;
  }
  return "";
}

Facts facts_of_this_run() {
  std::error_code failed;
  const std::string process = std::to_string(getpid()), restarts = variable("SLURM_RESTART_COUNT");
  return {{"host", host_name()},
          {"process", process},
          {"began", beginning_of(process)},
          {"boot", first_line("/proc/sys/kernel/random/boot_id")},
          {"machine", first_line("/etc/machine-id")},
          {"processes", fs::read_symlink("/proc/self/ns/pid", failed).string()},
          {"job", job_of_this_run()},
          {"restarts", restarts.empty() ? "0" : restarts},
          {"time", time_now()}};
}

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{} = {}\n", name, value);
  return text;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Facts facts_in(const std::string& text) {
  Facts facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t equals = line.find(" = "); equals != std::string::npos)
      facts[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return facts;
}

// Seconds since a run last touched its lock, both times by the clock of the file system; nothing if unknown.
std::optional<double> seconds_untouched(const std::string& path) {
  const std::string fresh = fmt::format("{}.{}.time", path, getpid());
  const int file = ::open(fresh.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return std::nullopt;
  struct stat now {
  }, then{};
  const bool known = ::futimens(file, nullptr) == 0 && ::fstat(file, &now) == 0 && ::stat(path.c_str(), &then) == 0;
  ::close(file);
  ::unlink(fresh.c_str());
  return known ? std::optional(static_cast<double>(now.st_mtim.tv_sec - then.st_mtim.tv_sec)) : std::nullopt;
}

// Reason why the run that holds a lock has ended; nothing if it still runs, or if this cannot be determined from here.
std::optional<std::string> ended(const std::string& path, Facts other, Facts own) {
  if (other["host"] == own["host"] && !other["boot"].empty()) {
    const bool same_boot = other["boot"] == own["boot"];
    const bool same_machine = !own["machine"].empty() && other["machine"] == own["machine"];  // names may be reused
    if (!same_boot && same_machine) return "this host was started again since";
    if (same_boot && other["processes"] == own["processes"]) {  // same container
      return lives(other["process"], other["began"]) ? std::nullopt : std::optional("that process is gone");
    }
  }
  const bool same_job = !own["job"].empty() && other["job"] == own["job"];
  const auto restarts = [](const std::string& text) { return std::strtol(text.c_str(), nullptr, 10); };
  if (same_job && restarts(other["restarts"]) < restarts(own["restarts"])) return "that job was started again";
  const double untouched = seconds_untouched(path).value_or(0.0);
  if (untouched >= static_cast<double>(CheckpointLock::lost_after.count()))
    return fmt::format("the file was last touched {:.0f} minutes ago, and a run touches it each minute",
                       untouched / 60);
  return std::nullopt;
}

std::string described(Facts facts) {
  if (facts["process"].empty()) return "which says nothing of itself";
  const std::string job = facts["job"].empty() ? "" : ", job " + facts["job"];
  return fmt::format("process {} on {}{}, since {}", facts["process"], facts["host"], job, facts["time"]);
}

[[noreturn]] void refuse(const std::string& checkpoint, const Facts& facts) {
  throw Error(ErrorKind::usage,
              fmt::format("another run works on the checkpoint {0}: {1}; wait for its end, or give this run another "
                          "checkpoint. If that run has ended for certain, remove {2} and start again",
                          checkpoint, described(facts), lock_of(checkpoint)));
}

// Removes the lock of a run that has ended, unless the lock was replaced since it was read.
bool take_away(const std::string& path, const std::string& text) {
  const std::string aside = fmt::format("{}.{}", path, getpid());
  if (::rename(path.c_str(), aside.c_str()) != 0) return errno == ENOENT;
  const bool same = read_whole(aside) == text;
  if (!same) static_cast<void>(::link(aside.c_str(), path.c_str()));  // the lock of a faster run
  ::unlink(aside.c_str());
  return same;
}

// Creates the file, which must not exist, and opens it. @return 0, or errno
int make_file(const std::string& path, const std::string& text, int& file) {
  file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  const ssize_t written = ::write(file, text.data(), text.size());
  int reason = written == static_cast<ssize_t>(text.size()) ? 0 : written < 0 ? errno : ENOSPC;
  if (reason == 0 && ::fsync(file) != 0 && errno != EINVAL) reason = errno;  // NFS reports a full disk here
  if (reason == 0) return 0;
  ::close(file);
  ::unlink(path.c_str());
  return reason;
}

// Like make_file, but the file already has its text when it gets its name: a run that is killed here leaves no empty
// lock. On a file system without hard links it may.
int make(const std::string& path, const std::string& text, int& file) {
  const std::string whole = fmt::format("{}.{}.{}", path, host_name(), getpid());
  ::unlink(whole.c_str());  // left by a killed process of the same number
  if (const int reason = make_file(whole, text, file); reason != 0)
    return reason == ENAMETOOLONG ? make_file(path, text, file) : reason;
  const int reason = ::link(whole.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(whole.c_str());
  if (reason == 0) return 0;
  ::close(file);
  const bool no_links = reason == EPERM || reason == ENOSYS || reason == EOPNOTSUPP || reason == EMLINK;
  return no_links ? make_file(path, text, file) : reason;
}

// Removes the files beside the lock (its name, a dot, more) that runs left which were killed while they made theirs.
void remove_leftovers(const std::string& path, const Facts& own) {
  const fs::path lock(path);
  const std::string before = lock.filename().string() + ".";
  std::error_code failed;
  const fs::path folder = lock.has_parent_path() ? lock.parent_path() : fs::path(".");
  for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(before) && ended(entry->path(), facts_in(read_whole(entry->path())), own)) {
      ::unlink(entry->path().c_str());
    }
  }
}

// Without a thread, the lock looks untouched.
std::jthread thread_or_none(const std::function<void(std::stop_token)>& work) {
  try {
    return std::jthread(work);
  } catch (const std::system_error&) {
    return {};
  }
}

// The thread blocks all signals: the other threads of the program handle them.
std::jthread started(const std::function<void(std::stop_token)>& work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread = thread_or_none(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

CheckpointLock::CheckpointLock(const std::string& checkpoint, const std::string& name,
                               std::chrono::milliseconds touches)
    : path_(lock_of(checkpoint)) {
  const Facts own = facts_of_this_run();
  text_ = text_of(own);
  for (int tries = 0; tries < 3; ++tries) {
    const int reason = make(path_, text_, file_);
    if (reason == 0) {
      registered_.emplace(path_);
      remove_leftovers(path_, own);
      toucher_ = started([file = file_, touches](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        for (;;) {
          ended.wait_for(lock, stop, touches, [] { return false; });
          if (stop.stop_requested()) return;
          static_cast<void>(::futimens(file, nullptr));
        }
      });
      return;
    }
    if (reason != EEXIST) {
      const bool full = reason == ENOSPC || reason == EDQUOT || reason == EIO;
      throw Error(full ? ErrorKind::resource : ErrorKind::usage,
                  fmt::format("cannot make {}: {}; change {}", path_, std::strerror(reason), name));
    }
    const std::string there = read_whole(path_);
    std::error_code failed;
    if (there.empty() && !fs::exists(path_, failed)) continue;  // its run has just ended
    const Facts facts = facts_in(there);
    const std::optional<std::string> why = ended(path_, facts, own);
    if (!why || !take_away(path_, there)) refuse(checkpoint, facts);
    note_ = fmt::format("{} was that of a run that has ended ({}: {}): taken over", path_, described(facts), *why);
  }
  refuse(checkpoint, facts_in(read_whole(path_)));
}

CheckpointLock::~CheckpointLock() {
  if (toucher_.joinable()) {
    toucher_.request_stop();
    toucher_.join();
  }
  if (file_ >= 0) ::close(file_);
  if (registered_ && is_own()) ::unlink(path_.c_str());
}

bool CheckpointLock::is_own() const { return read_whole(path_) == text_; }

void require_unlocked(const std::string& checkpoint) {
  std::error_code failed;
  if (!fs::exists(lock_of(checkpoint), failed)) return;
  const Facts facts = facts_in(read_whole(lock_of(checkpoint)));
  if (facts.empty() && !fs::exists(lock_of(checkpoint), failed)) return;  // its run has just ended
  if (!ended(lock_of(checkpoint), facts, facts_of_this_run())) refuse(checkpoint, facts);
}

}  // namespace cairn
