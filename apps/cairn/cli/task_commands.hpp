// The rows of the table of subcommands that put factors to work.
#pragma once

#include "cli/command.hpp"

namespace cairn::app {

/// One for each command that a task names, in the order of the table of tasks. @param taken  names of other commands
/// @throws Error(internal) if a task names one of these
[[nodiscard]] std::vector<Command> task_commands(const std::vector<std::string>& taken);
[[nodiscard]] Command predict_command();

/// --json, which every command has.
[[nodiscard]] Parameter json_option();

}  // namespace cairn::app
