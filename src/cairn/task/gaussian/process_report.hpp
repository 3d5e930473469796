// What is said of Gaussian processes.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/process_file.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// All of a file but its provenance, and what comes first of it: its name and task.
/// @param fits  how its processes were found, one each; empty: that is not known any more
[[nodiscard]] ReportText process_report(const ProcessFile& file, const std::vector<ProcessFit>& fits = {});
[[nodiscard]] Figure::Record process_figures(const ProcessFile& file);

/// One target: its four starts, and which of them was taken (from 1).
[[nodiscard]] Figure::Record fit_figures(const ProcessFit& fit, const std::string& target);

}  // namespace cairn
