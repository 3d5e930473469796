// A child program that does not outlive this one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn {

/// A shell command in its own process group, with pipes for its three streams. This program's ends of them do not
/// block.
///
/// It is started by posix_spawn, which shares memory until the new program begins instead of copying it: no fork
/// handler runs, and memory that is registered with network hardware stays in place, which fork() in an MPI program
/// cannot guarantee. The child inherits no other open file, and no variable by which a launcher identifies an MPI
/// process (is_of_launcher() in launch.hpp): a command that uses MPI would take itself for this rank.
///
/// The whole group is killed when the object is destroyed and when this process ends in any way, SIGKILL and MPI_Abort
/// included: a shell in the group waits for the end of a pipe whose other end only this process holds.
class ChildProcess {
 public:
  /// @param environment  variables in addition to those of this process
  /// @throws Error(resource) if no process can be started. A missing command is not an error here: the shell
  ///   reports it on stderr and ends with code 127.
  ChildProcess(const std::string& command, const std::vector<std::pair<std::string, std::string>>& environment);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// File descriptors for poll(): its standard input (-1 when closed), its standard output, its standard error.
  [[nodiscard]] int input() const { return input_; }
  [[nodiscard]] int output() const { return output_; }
  [[nodiscard]] int errors() const { return errors_; }

  /// Writes what the pipe takes now. @return bytes; nothing if the pipe has no reader any more. Raises no SIGPIPE.
  [[nodiscard]] std::optional<std::size_t> write_some(std::string_view bytes) const;
  /// Appends the bytes available in the pipe to `bytes`. @return false at its end
  [[nodiscard]] static bool read_some(int pipe, std::string& bytes);
  void close_input();

  /// The ending of the process: "exit code 3" or "signal 9 (KILL)"; nothing while it runs.
  [[nodiscard]] std::optional<std::string> ending();
  /// Its exit code, if it ended by itself.
  [[nodiscard]] std::optional<int> exit_code() const;

 private:
  pid_t process_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1, lifeline_ = -1;
  std::optional<int> status_;  // as waitpid gives it
};

}  // namespace cairn
