// What help prints.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace cairn::app {

[[nodiscard]] std::string program_help();
/// @param all  every option and key; else what the command needs, what is used most, and examples
[[nodiscard]] std::string command_help(const Command& command, bool all);
/// What `cairn help` prints with these words after it: nothing, a command (and "all"), a section, a key or option, the
/// name of a descriptor, "method NAME" and its like, "keys", --man, --completion bash.
/// @throws Error(usage) for others; it suggests the nearest
[[nodiscard]] std::string topic_help(const std::vector<std::string>& words);

}  // namespace cairn::app
