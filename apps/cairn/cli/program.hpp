// Runs one command line on all ranks, from words to an exit code: everything between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cli/command_line.hpp"

namespace cairn::app {

/// Result of parsing the command line on a rank: an invocation, or an error.
struct Reading {
  std::optional<Invocation> invocation = {};
  std::optional<Error> error = {};

  [[nodiscard]] bool runs() const { return !error && !invocation->print; }
};

/// Local. Does not throw errors of the command line.
[[nodiscard]] Reading read_command_line(const std::vector<std::string>& words, ConfigTexts& configs);

/// Prints the message of a failed run, once. Local.
void print_error(const Error& error);

/// Returns `code`, or the code of a write error: output lost on a full disk, for example, is a failure. Local.
[[nodiscard]] int flushed(int code);

/// The exit code of a command line on this rank, and the way to exit.
struct Ending {
  int code = 0;
  /// True: exit without cleanup by libraries. HDF5 1.10 crashes if a full disk prevented a file from being closed.
  bool at_once = false;
};

/// Runs the command line `words` on all ranks of `ranks`; rank 0 prints the message if it fails. If one rank has an
/// error while the others are inside a collective call, the process exits with its code. Collective.
/// @param reading  given if this single rank has already parsed the words
[[nodiscard]] Ending run_command_line(MPI_Comm ranks, const std::vector<std::string>& words, ConfigTexts& configs,
                                      std::optional<Reading> reading = {});

}  // namespace cairn::app
