// The subcommands that make models of results and use them.
#pragma once

#include "command.hpp"

namespace cairn::app {

void run_train(Job& job);
void run_predict(Job& job);

}  // namespace cairn::app
