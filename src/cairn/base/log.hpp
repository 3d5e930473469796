// Log messages of a run.
#pragma once

#include <string>

namespace cairn {

enum class LogLevel { debug, info, warning, error };

/// Sets the lowest level that is shown on stderr, each line with its time. `speaking` is true on one rank; the others
/// show nothing.
void start_log(LogLevel level, bool speaking);
/// True if this rank shows lines of this level. Local.
[[nodiscard]] bool speaks(LogLevel level);
/// Writes one line. Local.
void log(LogLevel level, const std::string& text);

}  // namespace cairn
