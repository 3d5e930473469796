// Rules for files that an output may replace.
#pragma once

#include <string>

#include "cairn/store/files/output_target.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Checks an output like check_output of report.hpp, which derives the form from the option or the file ending.
/// @param form  of the output
/// @throws Error(usage) also if the file contains something that cairn did not write in this form. Collective.
void check_output(const Job& job, const std::string& name, OutputForm form);

/// @throws Error(usage) if the file is that of another output of the command than the option `name`. Collective.
void require_other_outputs(const Job& job, const std::string& name, const std::string& path);

/// Applies only the last of these rules, without --overwrite. @throws Error(usage). Collective.
void require_own_or_overwrite(const Job& job, const OutputPath& path, OutputForm form);

}  // namespace cairn::app
