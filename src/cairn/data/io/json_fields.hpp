// Chosen fields of a JSON object. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The values of the fields `names` of an object, as texts: a string as it is, a number as it stands, true or false;
/// the elements of an array of those with a blank between; nothing if the field is missing or null. Other fields may
/// hold anything.
/// @throws Error(input) if `text` is no JSON object, or a field is an object, holds one, or comes twice. Local.
[[nodiscard]] std::vector<std::optional<std::string>> read_json_fields(std::string_view text,
                                                                       const std::vector<std::string>& names);

}  // namespace cairn
