// The rows of the table of subcommands that put factors to work.
#pragma once

#include "cli/command.hpp"

namespace cairn::app {

[[nodiscard]] Command embed_command();
[[nodiscard]] Command cluster_command();
[[nodiscard]] Command train_command();
[[nodiscard]] Command predict_command();

/// --json, which every command has.
[[nodiscard]] Parameter json_option();

}  // namespace cairn::app
