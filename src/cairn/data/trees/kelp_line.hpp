// Parses lines of KeLP: a label, then fields between marks. Private to this folder and to kinds of data that hold
// trees.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A field |Btype:name| content |Etype|.
struct KelpField {
  std::string_view type;  ///< T tree, S string, V sparse vector, DV dense vector, SQ sequence
  std::string_view name;
  std::string_view content;
  std::size_t column = 0;  ///< column of the content's first byte, from 1
};

/// The fields of a line or of a part of it. Only blanks are allowed between fields.
/// @param column  column of the first byte of `text`, from 1
/// @throws Error(input) that begins with "column N: ". Local.
[[nodiscard]] std::vector<KelpField> kelp_fields(std::string_view text, std::size_t column);

/// The label of a line without surrounding blanks, the rest of the line, and the column of the rest.
struct KelpLine {
  std::string_view label;
  std::string_view rest;
  std::size_t column = 1;
};
[[nodiscard]] KelpLine kelp_line(std::string_view line);

/// The field with this type and name. If the name is empty, the only field of the type.
/// @param key  name of the parameter that selects the field, for messages
/// @throws Error(input) if there is none (names the existing ones) or several
[[nodiscard]] const KelpField& kelp_field(const std::vector<KelpField>& fields, std::string_view type, const char* what,
                                          std::string_view name, const std::string& key);

/// Calls use(name, number) for each entry of a sparse vector "name:number name:number ...".
/// @throws Error(input) for an entry that is not name:number, or a repeated name. Local.
void for_each_kelp_number(std::string_view vector, const std::function<void(std::string_view, double)>& use);

/// Maximum number of different names in the vectors of objects, each of which gets a column.
inline constexpr Index most_kelp_names = 10000;

}  // namespace cairn
