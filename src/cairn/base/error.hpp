// The only exception type, and the exit code of each of its kinds.
#pragma once

#include <stdexcept>
#include <string>

namespace cairn {

/// Kind of failure; the value is the program's exit code.
enum class ErrorKind {
  usage = 2,         ///< the command line or a config value
  input = 3,         ///< an input file
  numeric = 4,       ///< the mathematics: singular, not finite, not converged
  resource = 5,      ///< memory, disk, a limit of a library
  unmet = 6,         ///< an error that was asked for is not reached
  internal = 70,     ///< a defect of Cairn or of a library that it uses
  interrupted = 75,  ///< stopped on request, with a checkpoint; not a failure: the run can be resumed
};

/// Thrown by every function that can fail. The message is one line that states what failed, where (file:line for
/// inputs, the key for configs) and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

/// Not enough memory for a Buffer.
class AllocationError : public Error {
 public:
  using Error::Error;
};

/// The exception that is being handled, as an Error: an Error itself, Error(resource) for std::bad_alloc,
/// Error(internal) for all others and if there is none (a terminate handler may be called without one).
[[nodiscard]] Error current_error();

}  // namespace cairn
