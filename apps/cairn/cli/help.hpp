// What --help prints.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace cairn::app {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string command_help(const Command& command);
/// What `cairn help` prints with these words after it: nothing, a command, "method NAME", "similarity NAME", "data
/// NAME", "task NAME", or one of these alone for a list. @throws Error(usage) for others; it suggests the nearest
[[nodiscard]] std::string topic_help(const std::vector<std::string>& words);

}  // namespace cairn::app
