// Removal of markup tags from texts.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// Replaces every HTML or XML tag in `text` by a blank. A tag is <, a letter, /, ! or ?, and all up to the next >.
/// Other text in angle brackets ("a < b") and unclosed tags are kept. Local.
[[nodiscard]] std::string without_markup(std::string_view text);

}  // namespace cairn
