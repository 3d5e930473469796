#include "cairn/base/process/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/process/launch.hpp"

extern char** environ;

namespace cairn {

namespace {

// The first process of the group becomes the command; the second waits for the end of pipe 3.
constexpr const char* script =
    "{ read -r line; kill -9 0; } <&3 >/dev/null 2>&1 3<&- &\n"
    "exec 3<&-\n"
    "exec /bin/sh -c \"$1\"";
constexpr int lifeline_in_child = 3;

[[noreturn]] void throw_failed(const char* what, int error) {
  throw Error(ErrorKind::resource, std::string("cannot ") + what + ": " + std::strerror(error));
}

void close_if_open(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

// Both ends of a pipe, with numbers above those that the child's streams get.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_failed("open a pipe", errno);
    constexpr int lowest = 10;
    read_end = fcntl(ends[0], F_DUPFD_CLOEXEC, lowest);
    const int error = errno;
    write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, lowest);
    close(ends[0]);
    close(ends[1]);
    if (read_end >= 0 && write_end >= 0) return;
    close_if_open(read_end);
    close_if_open(write_end);
    throw_failed("open a pipe", error);
  }
  ~Pipe() {
    close_if_open(read_end);
    close_if_open(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // Transfers the ownership of an end.
  static int take(int& end, bool blocking) {
    const int taken = end;
    end = -1;
    if (!blocking) fcntl(taken, F_SETFL, fcntl(taken, F_GETFL) | O_NONBLOCK);
    return taken;
  }

  int read_end = -1, write_end = -1;
};

// Destroys its members at the end of the scope.
struct SpawnSettings {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int number : {SIGPIPE, SIGXFSZ, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM})
      sigaddset(&defaults, number);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_of_launcher(*entry)) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : more) {
    std::erase_if(all, [&, start = name + "="](const std::string& entry) { return entry.starts_with(start); });
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Suppresses SIGPIPE for writes of this thread during its lifetime: the signal would end the program.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&signal_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

std::string signal_text(int number) {
  const char* name = sigabbrev_np(number);
  return "signal " + std::to_string(number) + (name == nullptr ? "" : std::string(" (") + name + ")");
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
  Pipe input, output, errors, lifeline;
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, input.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, output.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, errors.write_end, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, lifeline.read_end, lifeline_in_child);
  posix_spawn_file_actions_addclosefrom_np(&settings.files, lifeline_in_child + 1);
  std::vector<std::string> words{"/bin/sh", "-c", script, "cairn", command};
  std::vector<std::string> variables = environment_with(environment);
  const int failed = posix_spawn(&process_, words.front().c_str(), &settings.files, &settings.attributes,
                                 pointers(words).data(), pointers(variables).data());
  if (failed != 0) throw_failed(("start '" + command + "'").c_str(), failed);
  constexpr bool blocking = true;
  input_ = Pipe::take(input.write_end, !blocking);
  output_ = Pipe::take(output.read_end, !blocking);
  errors_ = Pipe::take(errors.read_end, !blocking);
  lifeline_ = Pipe::take(lifeline.write_end, blocking);
}

// The number of the group cannot be reused: at least the waiting shell is still in it.
ChildProcess::~ChildProcess() {
  ::kill(-process_, SIGKILL);
  if (!status_) {
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (int* file : {&input_, &output_, &errors_, &lifeline_}) close_if_open(*file);
}

std::optional<std::size_t> ChildProcess::write_some(std::string_view bytes) const {
  const NoBrokenPipe quiet;
  for (;;) {
    const ssize_t written = write(input_, bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

bool ChildProcess::read_some(int pipe, std::string& bytes) {
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t count = read(pipe, piece.data(), piece.size());
    if (count > 0) {
      bytes.append(piece.data(), static_cast<std::size_t>(count));
      return true;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN;
  }
}

void ChildProcess::close_input() { close_if_open(input_); }

std::optional<std::string> ChildProcess::ending() {
  int status = 0;
  if (!status_ && waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  if (!status_) return std::nullopt;
  if (WIFSIGNALED(*status_)) return signal_text(WTERMSIG(*status_));
  const int code = WEXITSTATUS(*status_);
  // A shell reports the signal of its command in this way.
  constexpr int of_signal = 128;
  return "exit code " + std::to_string(code) +
         (code > of_signal && code < of_signal + NSIG ? ", which a shell gives for " + signal_text(code - of_signal)
                                                      : std::string());
}

std::optional<int> ChildProcess::exit_code() const {
  if (!status_ || !WIFEXITED(*status_)) return std::nullopt;
  return WEXITSTATUS(*status_);
}

}  // namespace cairn
