// A JSON object of numbers by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn {

/// The fields of an object whose values are all numbers, in the order in which they stand: {"a": 0.25, "b": 1}.
/// @throws Error(input) if `text` is no JSON object, a value is not a number or out of range, or a name is a duplicate.
/// Local.
[[nodiscard]] std::vector<std::pair<std::string, double>> read_json_numbers(std::string_view text);

}  // namespace cairn
