// Which separator a table of text has. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The separator between fields that a name means: auto, comma, semicolon, tab, blank, pipe.
/// Of auto: the first of comma, semicolon, tab and pipe that the first line has outside quotes, and that both lines
/// have equally often, if there is one; semicolon or tab where all fields between them are numbers or numbers with a
/// decimal comma; blanks where there is none of them.
/// @param lines  the first ones of the file, at least one. Local.
[[nodiscard]] char find_separator(const std::string& name, const std::vector<std::string>& lines);

/// "comma", "semicolon", "tab", "blank", "pipe". Local.
[[nodiscard]] std::string separator_name(char separator);

/// Whether a field is a number with a comma where Cairn's tables have a point: 1,5. Local.
[[nodiscard]] bool has_decimal_comma(std::string_view field);

/// @throws Error(input) for a first line that is Excel's sep=; or a comment (it begins with #, and the next line, too,
/// or that has another number of fields). @param advice  names the key of the separator; empty: there is none. Local.
void refuse_prologue(const std::string& path, const std::vector<std::string>& lines, const std::string& advice);

}  // namespace cairn
