// Detection of the field separator of a text table. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The field separator for a name: auto, comma, semicolon, tab, blank, pipe.
/// auto: semicolon or tab if all fields that it separates are numbers, with or without a decimal comma. Otherwise the
/// first of comma, semicolon, tab and pipe that the first line has outside quotes, preferably one that both lines have
/// equally often. Blanks if the line has none of them.
/// @param lines  the first lines of the file, at least one. Local.
[[nodiscard]] char find_separator(const std::string& name, const std::vector<std::string>& lines);

/// "comma", "semicolon", "tab", "blank", "pipe". Local.
[[nodiscard]] std::string separator_name(char separator);

/// True if a field is a number with a decimal comma (1,5); Cairn's tables have a point. Local.
[[nodiscard]] bool has_decimal_comma(std::string_view field);

/// @throws Error(input) if the first line is Excel's sep=; or a comment: it begins with #, and the next line begins
/// with #, too, or has another number of fields. @param advice  names the key of the separator; empty: there is none.
/// Local.
void refuse_prologue(const std::string& path, const std::vector<std::string>& lines, const std::string& advice);

}  // namespace cairn
