// Lines as KeLP writes them: a label, then fields between marks. Private to this folder and to kinds of data that hold
// trees.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// |Btype:name| content |Etype|
struct KelpField {
  std::string_view type;  ///< T a tree, S a string, V a sparse vector, DV a dense one, SQ a sequence
  std::string_view name;
  std::string_view content;
  std::size_t column = 0;  ///< of the content's first byte, from 1
};

/// The fields of a line, or of a part of it: what stands between them but blanks is refused.
/// @param column  of its first byte, from 1
/// @throws Error(input) that begins with "column N: ". Local.
[[nodiscard]] std::vector<KelpField> kelp_fields(std::string_view text, std::size_t column);

/// The label of a line, without blanks around it, what follows it, and the column of that.
struct KelpLine {
  std::string_view label;
  std::string_view rest;
  std::size_t column = 1;
};
[[nodiscard]] KelpLine kelp_line(std::string_view line);

/// The field of this type that has this name; with an empty name the only one of the type.
/// @param key  what messages call what chooses it
/// @throws Error(input) if there is none, which names those there are, or several
[[nodiscard]] const KelpField& kelp_field(const std::vector<KelpField>& fields, std::string_view type, const char* what,
                                          std::string_view name, const std::string& key);

/// The numbers of a sparse vector, "name:number name:number ...": use(name, number) for each.
/// @throws Error(input) for what is not name:number, or a name twice. Local.
void for_each_kelp_number(std::string_view vector, const std::function<void(std::string_view, double)>& use);

/// Different names that the numbers of objects may have at most, where each has a column.
inline constexpr Index most_kelp_names = 10000;

}  // namespace cairn
