// Subcommands that train models on results and use them.
#pragma once

#include "report/job.hpp"

namespace cairn::app {

/// Run function of every command that runs tasks; check_task() is its check.
void run_task_command(Job& job);
void check_predict(const Settings& settings, const std::vector<std::string>& arguments);
void run_predict(Job& job);

}  // namespace cairn::app
