// Config files: sections of `key = value` lines.
#pragma once

#include <string>

#include "cairn/parameters/settings.hpp"

namespace cairn {

/// Stands for a '#' that begins no comment where a config says so (Settings::as_config does for one after a blank).
inline constexpr char hash_letter = '\x01';

/// Sets what the text of a config says. '#' begins a comment at the start of a line and after a blank or a ']'; within
/// a word it is a letter.
/// @param origin  the file's name, for messages (file:line)
/// @param folder  what relative input paths are relative to
/// @throws Error(usage) with file:line for a line that is neither a section nor `key = value`, an unknown or repeated
/// key,
///   or a value of the wrong form. Local.
void read_config_text(const std::string& text, const std::string& origin, const std::string& folder,
                      Settings& settings);

/// The same from a file; relative input paths are relative to its folder.
/// @throws Error(input) if it cannot be read
void read_config_file(const std::string& path, Settings& settings);

/// A whole text file. @throws Error(input) if it cannot be read. Local.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t most_bytes);

}  // namespace cairn
