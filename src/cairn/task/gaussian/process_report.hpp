// Reports on Gaussian processes.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/process_file.hpp"
#include "cairn/task/gaussian/process_fit.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Reports a file except for its provenance, name and task.
/// @param fits  one for each of its processes; empty if no longer known
[[nodiscard]] ReportText process_report(const ProcessFile& file, const std::vector<ProcessFit>& fits = {});
[[nodiscard]] Metric::Record process_metrics(const ProcessFile& file);

/// Metrics of one target: its four starts, and which of them was chosen (from 1).
[[nodiscard]] Metric::Record fit_metrics(const ProcessFit& fit, const std::string& target);

}  // namespace cairn
