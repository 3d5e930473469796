// Texts that stand for a missing value, in tables and as labels.
#pragma once

#include <string_view>

namespace cairn {

/// True for what table programs write for a missing value: an empty field, NA, N/A, NaN, nan, null, NULL, None, ?.
/// Surrounding blanks are ignored. Other words that may mean it (none, -) may also be classes and do not count. Local.
[[nodiscard]] bool is_missing(std::string_view field);

}  // namespace cairn
