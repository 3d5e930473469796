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
  std::vector<std::string> keys;   ///< accepted sections and single keys
  std::vector<Parameter> options;  ///< its own options
  bool takes_config = false;       ///< true if --config FILE is accepted
  void (*run)(Job& job);           ///< collective over job.communicator
  /// Checks that need neither MPI nor files. @throws Error(usage). Local. May be null.
  void (*check)(const Settings& settings, const std::vector<std::string>& arguments) = nullptr;
  std::vector<std::string> shown{};  ///< keys that help shows; empty: all
};

[[nodiscard]] const std::vector<Command>& commands();

/// Options that are not keys: its own, and those of all commands. Local.
[[nodiscard]] std::vector<Parameter> own_options(const Command& command);
/// All accepted options: keys, then its own options. Local.
[[nodiscard]] std::vector<Parameter> options_of(const Command& command);

}  // namespace cairn::app
