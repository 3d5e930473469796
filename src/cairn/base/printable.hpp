// Text of unknown origin, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The text, in which what a terminal could obey, and what is no UTF-8, is written as \xNN: messages quote files, which
/// may hold anything. Local.
[[nodiscard]] std::string printable(std::string_view text);
/// The same of a text of several lines: ends of lines and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace cairn
