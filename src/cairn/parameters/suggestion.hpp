// "Did you mean": the nearest known name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Minimum number of insertions, deletions and substitutions that turn one text into the other.     [Levenshtein 1966]
[[nodiscard]] int edit_distance(std::string_view first, std::string_view second);

/// "; did you mean 'x'?" for the known name nearest to `name`; a list of the known names if they are few and none is
/// near; otherwise empty.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace cairn
