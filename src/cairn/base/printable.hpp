// Makes text of unknown origin safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The text with control characters and bytes that are not UTF-8 written as \xNN: messages quote files, which may
/// contain anything. Local.
[[nodiscard]] std::string printable(std::string_view text);
/// Makes a text of several lines printable: newlines and tabs are kept.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace cairn
