// What a subcommand runs with.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// What a subcommand runs with.
struct Job {
  const Communicator& communicator;
  Settings settings;
  std::vector<std::string> arguments;  ///< positional ones
  std::string command_line;            ///< as typed, for the record
};

}  // namespace cairn::app
