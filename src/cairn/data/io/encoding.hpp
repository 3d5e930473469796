// Texts that are not in UTF-8, or no texts at all. Private to the folders that read texts.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The byte order mark that editors put in front of UTF-8; readers pass over it.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// @param path  of the file that begins with `text`; messages name it
/// @throws Error(input) with the remedy if that is a byte order mark of UTF-16 or UTF-32. Local.
void refuse_other_mark(const std::string& path, std::string_view text);

/// @throws Error(input) as refuse_other_mark, and if the first 4096 bytes have several bytes 0: the file is UTF-16
/// without a mark, or binary. A single one may be a slip, whose line the reader names. Local.
void refuse_binary(const std::string& path, std::string_view text);

/// @param text  a whole file
/// @throws Error(input) as refuse_other_mark, and if it has a byte 0. Local.
void refuse_no_text(const std::string& path, std::string_view text);

/// Of a text whose place the caller puts in front. @throws Error(input) if it has a byte 0. Local.
void refuse_zero(std::string_view text);

}  // namespace cairn
