// What the program tells its user while it runs.
#pragma once

#include <string>

namespace cairn {

enum class LogLevel { debug, info, warning, error };

/// Sets what is shown, to stderr, each line with its time. `speaking` is false on all ranks but one: they show nothing.
void start_log(LogLevel level, bool speaking);
/// Whether lines of this level are shown here. Local.
[[nodiscard]] bool speaks(LogLevel level);
/// One line. Local.
void log(LogLevel level, const std::string& text);

}  // namespace cairn
