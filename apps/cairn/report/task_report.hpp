// Converts a task's report to text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cairn/task/task_report.hpp"

namespace cairn::app {

/// Lines of text of a report. Local.
[[nodiscard]] std::string text_of(const ReportText& text);
[[nodiscard]] nlohmann::ordered_json json_of(const Metric& metric);

}  // namespace cairn::app
