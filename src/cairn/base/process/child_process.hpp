// A program that runs beside this one and does not outlive it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn {

/// A command of the shell, in a process group of its own, with pipes for its three streams. This program's ends of them
/// do not block.
///
/// It is started by posix_spawn, which shares memory until the new program begins instead of copying it: no fork
/// handler runs, and memory that a network's hardware was told of stays where it is, as fork() in an MPI program cannot
/// promise. No other open file of this process goes along, and no variable by which the launcher of an MPI program
/// tells it what it is (is_of_launcher() in launch.hpp): a command that uses MPI itself would take itself for this
/// rank.
///
/// The whole group is killed when the object goes, and when this process ends in any way, SIGKILL and MPI_Abort
/// included: a shell in the group waits for the end of a pipe of which only this process has the other end.
class ChildProcess {
 public:
  /// @param environment  variables beside those of this process
  /// @throws Error(resource) if no process can be started. A command that is not there is no error here: the shell
  ///   says so on stderr and ends with code 127.
  ChildProcess(const std::string& command, const std::vector<std::pair<std::string, std::string>>& environment);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// File descriptors for poll(): its standard input (-1 when closed), its standard output, its standard error.
  [[nodiscard]] int input() const { return input_; }
  [[nodiscard]] int output() const { return output_; }
  [[nodiscard]] int errors() const { return errors_; }

  /// Writes what the pipe takes now. @return bytes; nothing if nobody reads the pipe any more. Raises no SIGPIPE.
  [[nodiscard]] std::optional<std::size_t> write_some(std::string_view bytes) const;
  /// Appends what stands in the pipe now to `bytes`. @return false at its end
  [[nodiscard]] static bool read_some(int pipe, std::string& bytes);
  void close_input();

  /// How it ended, as "exit code 3" or "signal 9 (KILL)"; nothing while it runs.
  [[nodiscard]] std::optional<std::string> ending();
  /// The code that it ended with, if it did and by itself.
  [[nodiscard]] std::optional<int> exit_code() const;

 private:
  pid_t process_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1, lifeline_ = -1;
  std::optional<int> status_;  // of waitpid
};

}  // namespace cairn
