// Detection of texts that are not in UTF-8, and of files that are no texts. Private to the folders that read texts.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The byte order mark that editors write at the start of UTF-8; readers skip it.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// @param path  path of the file that begins with `text`, for messages
/// @throws Error(input) with the remedy if it begins with a byte order mark of UTF-16 or UTF-32. Local.
void refuse_other_mark(const std::string& path, std::string_view text);

/// @throws Error(input) as refuse_other_mark, and if the first 4096 bytes contain several zero bytes: the file is
/// UTF-16 without a mark, or binary. A single one may be an error in the text; the reader then names its line. Local.
void refuse_binary(const std::string& path, std::string_view text);

/// @param text  a whole file
/// @throws Error(input) as refuse_other_mark, and if it contains a zero byte. Local.
void refuse_no_text(const std::string& path, std::string_view text);

/// For a text whose position the caller adds. @throws Error(input) if it contains a zero byte. Local.
void refuse_zero(std::string_view text);

}  // namespace cairn
