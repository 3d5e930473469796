// What a task found, as the program writes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cairn/task/task_report.hpp"

namespace cairn::app {

/// Lines of a report. Local.
[[nodiscard]] std::string text_of(const ReportText& text);
[[nodiscard]] nlohmann::ordered_json json_of(const Figure& figure);

}  // namespace cairn::app
