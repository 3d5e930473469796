// Words for a value that is missing: in tables, and as labels.
#pragma once

#include <string_view>

namespace cairn {

/// True for what table programs write for a value that is missing, blanks around it allowed: nothing, NA, N/A, NaN,
/// nan, null, NULL, None, ?. Other words that may mean it (none, -) may be classes, too, and are none of these. Local.
[[nodiscard]] bool is_missing(std::string_view field);

}  // namespace cairn
