// The end of commands whose work hands back a report.
#pragma once

#include "cairn/task/task_report.hpp"
#include "pipeline/context.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Prints the phases, and writes what was found, with them and the peak of memory, to the
/// file that --json names. Collective.
void finish_report(const Job& job, Context& context, const TaskReport& report);

}  // namespace cairn::app
