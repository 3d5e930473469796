// What an output may replace.
#pragma once

#include <string>

#include "cairn/store/output_target.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// As check_output of report.hpp. @param form  what is written; there it is that of the option, or of the ending of the
/// name. @throws Error(usage) also if the file holds what cairn did not write in this form. Collective.
void check_output(const Job& job, const std::string& name, OutputForm form);

/// @throws Error(usage) if the file is that of another output of the command than that of the option `name`.
/// Collective.
void require_other_outputs(const Job& job, const std::string& name, const std::string& path);

/// The last of these rules alone: without --overwrite. @throws Error(usage). Collective.
void require_own_or_overwrite(const Job& job, const OutputPath& path, OutputForm form);

}  // namespace cairn::app
