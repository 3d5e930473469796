// The one exception type, and the exit codes that its kinds stand for.
#pragma once

#include <stdexcept>
#include <string>

namespace cairn {

/// What went wrong; the value is the program's exit code.
enum class ErrorKind {
  usage = 2,         ///< the command line or a config value
  input = 3,         ///< a file that was read
  numeric = 4,       ///< the mathematics: singular, not finite, not converged
  resource = 5,      ///< memory, disk, a limit of a library
  internal = 70,     ///< a defect of Cairn or of a library below it
  interrupted = 75,  ///< stopped as was asked for, with a checkpoint; not a failure: the run can go on
};

/// Thrown by every function that can fail. The message is one line that says what, where (file:line for inputs,
/// the key for configs) and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

/// A Buffer that there is no memory for.
class AllocationError : public Error {
 public:
  using Error::Error;
};

/// The Error that stands for the exception that is being handled: itself, Error(resource) for std::bad_alloc,
/// Error(internal) for others, and where none is handled (a terminate handler may be called without one).
[[nodiscard]] Error current_error();

}  // namespace cairn
