// The subcommands that make models of results and use them.
#pragma once

#include "cairn/task/task_report.hpp"
#include "pipeline/context.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Of every command that runs tasks; check_task() is its check.
void run_task_command(Job& job);
void check_predict(const Settings& settings, const std::vector<std::string>& arguments);
void run_predict(Job& job);

/// The end of these commands: prints the phases, and writes what was found, with them and the peak of memory, to the
/// file that --json names. Collective.
void finish_report(const Job& job, Context& context, const TaskReport& report);

}  // namespace cairn::app
