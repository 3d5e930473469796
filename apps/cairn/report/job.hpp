// Input of a subcommand.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// Input of a subcommand.
struct Job {
  const Communicator& communicator;
  Settings settings;
  std::vector<std::string> arguments;  ///< positional arguments
  std::string command_line;            ///< as typed, for the record
};

}  // namespace cairn::app
