// What --help prints.
#pragma once

#include <string>

#include "command.hpp"

namespace cairn::app {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string command_help(const Command& command);

}  // namespace cairn::app
