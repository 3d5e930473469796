// Parses and checks the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/parameters/config_texts.hpp"
#include "cli/command.hpp"

namespace cairn::app {

/// Either a text to print (help, version), or a command to run.
struct Invocation {
  std::optional<std::string> print = {};
  const Command* command = nullptr;
  std::optional<Settings> settings = {};
  std::vector<std::string> arguments = {};
};

/// Parses the command line and the config that it names; the command line takes precedence. Local; does not need MPI.
/// @param configs  reads the config, or already has its text
/// @throws Error(usage) for an unknown command, option, key or value (the message suggests the nearest), a missing or
///   superfluous argument; Error(input) for a config that cannot be read
[[nodiscard]] Invocation parse_command_line(const std::vector<std::string>& words, ConfigTexts& configs);

}  // namespace cairn::app
