// The subcommands that make models of results and use them.
#pragma once

#include "report/job.hpp"

namespace cairn::app {

/// Of every command that runs tasks; check_task() is its check.
void run_task_command(Job& job);
void check_predict(const Settings& settings, const std::vector<std::string>& arguments);
void run_predict(Job& job);

}  // namespace cairn::app
