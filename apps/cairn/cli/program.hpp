// One command line on all ranks, from words to an exit code: what the program does between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cli/command_line.hpp"

namespace cairn::app {

/// What a rank made of the command line: something to do, or an error.
struct Reading {
  std::optional<Invocation> invocation = {};
  std::optional<Error> error = {};

  [[nodiscard]] bool runs() const { return !error && !invocation->print; }
};

/// Local. Throws nothing of the command line's.
[[nodiscard]] Reading read_command_line(const std::vector<std::string>& words, ConfigTexts& configs);

/// Prints the one message of a run that fails. Local.
void print_error(const Error& error);

/// The exit code, or that of an error of writing: output that did not arrive, on a full disk say, is no success. Local.
[[nodiscard]] int flushed(int code);

/// The exit code of a command line on this rank, and how to leave with it.
struct Ending {
  int code = 0;
  /// Libraries are not to clean up: HDF5 1.10 crashes where a full disk kept a file from closing.
  bool at_once = false;
};

/// Runs the command line `words` on all ranks of `ranks`; rank 0 prints the message if it fails. An error that one rank
/// has alone, while the others are inside a collective, ends the process with its code. Collective.
/// @param reading  where a rank alone has read the words already
[[nodiscard]] Ending run_command_line(MPI_Comm ranks, const std::vector<std::string>& words, ConfigTexts& configs,
                                      std::optional<Reading> reading = {});

}  // namespace cairn::app
