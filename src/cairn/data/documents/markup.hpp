// Tags in texts.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// `text` with a blank for every tag of HTML or XML: <, a letter, /, ! or ?, and all up to the next >. Other text in
/// angle brackets ("a < b") and a tag that is not closed stay. Local.
[[nodiscard]] std::string without_markup(std::string_view text);

}  // namespace cairn
