// The subcommands, as a table.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/help/pages.hpp"
#include "report/job.hpp"

namespace cairn::app {

struct Command {
  std::string name;
  std::string summary;  ///< one sentence
  std::string details;  ///< more sentences
  std::vector<Argument> arguments;
  std::vector<std::string> keys;   ///< sections and single keys that it takes
  std::vector<Parameter> options;  ///< its own options
  bool takes_config = false;       ///< whether --config FILE is accepted
  void (*run)(Job& job);           ///< collective over job.communicator
  /// What can be refused without MPI and without files. @throws Error(usage). Local. May be null.
  void (*check)(const Settings& settings, const std::vector<std::string>& arguments) = nullptr;
  std::vector<std::string> shown{};  ///< of the keys those that help tells of; empty: all
};

[[nodiscard]] const std::vector<Command>& commands();

/// What is no key: its own options, and those of all commands. Local.
[[nodiscard]] std::vector<Parameter> own_options(const Command& command);
/// All that it takes: keys, then its own. Local.
[[nodiscard]] std::vector<Parameter> options_of(const Command& command);

}  // namespace cairn::app
