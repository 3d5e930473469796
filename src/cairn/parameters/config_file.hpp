// Config files: sections of `key = value` lines.
#pragma once

#include <string>

#include "cairn/parameters/settings.hpp"

namespace cairn {

/// Represents a '#' that does not start a comment (Settings::as_config writes it for a '#' after a blank).
inline constexpr char hash_letter = '\x01';

/// Sets the values in the text of a config. '#' starts a comment at the start of a line and after a blank or a ']';
/// within a word it is an ordinary character.
/// @param origin  the file's name, for messages (file:line)
/// @param folder  base of relative input paths
/// @throws Error(usage) with file:line for a line that is neither a section nor `key = value`, an unknown or repeated
/// key, or a value of the wrong form. Local.
void read_config_text(const std::string& text, const std::string& origin, const std::string& folder,
                      Settings& settings);

/// Reads `text`, the content of the file at `path`; relative input paths are relative to its folder. Local.
void read_config_as(const std::string& path, const std::string& text, Settings& settings);

/// The text of a config file or pipe. @throws Error(input) if it cannot be read or is too long. Local.
[[nodiscard]] std::string read_config_bytes(const std::string& path);

/// A whole text file. @throws Error(input) if it cannot be read. Local.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t most_bytes);

}  // namespace cairn
