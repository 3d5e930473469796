// Columns of a table by name, number or range. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// The columns of one file. Their numbers begin at 1 in keys and messages, at 0 in code.
struct TableColumns {
  std::string path;  ///< for messages
  std::size_t count = 0;
  std::vector<std::string> names;  ///< names in the header, one per column; empty: there is no header
  std::string separator{};         ///< name of the field separator; empty: the file is no text
};

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

/// The column that `word` names: a name of the header, or else a number from 1; no_column if it is neither.
/// @throws Error(input) for a name of two columns. Local.
[[nodiscard]] std::size_t find_column(const TableColumns& table, const std::string& word);

/// The columns that a list names, in its order: each word is a name of the header, a number from 1 or a range of
/// numbers (2-12).
/// @throws Error(input) for a column that does not exist or a name of two columns, Error(usage) for a repeated column.
/// Local.
[[nodiscard]] std::vector<std::size_t> find_columns(const TableColumns& table, const std::vector<std::string>& list);

/// The same for numbers within a file of `count` columns; other words are ignored. Local.
[[nodiscard]] std::vector<std::size_t> numbered_columns(const std::vector<std::string>& list, std::size_t count);

/// The words of a list that are neither a number nor a range within `count`: they can only be names. Local.
[[nodiscard]] std::vector<std::string> names_in(const std::vector<std::string>& list, std::size_t count);

/// The columns of `source.ignored` that must be in the file: without missing names if these are allowed. Local.
[[nodiscard]] std::vector<std::string> ignored_columns(const TableColumns& table, const PointSource& source);

/// The columns that become coordinates: those of `chosen` (empty: all), without those of texts (labels, groups) and
/// those of `ignored`. @throws as find_columns, and Error(usage) for a column of texts in one of the lists,
/// Error(input) if none are left. Local.
[[nodiscard]] std::vector<std::size_t> value_columns(const TableColumns& table, const std::vector<std::string>& chosen,
                                                     const std::vector<std::string>& ignored,
                                                     const std::vector<std::size_t>& texts);

/// The existing columns, for a message about `word`, which names none: "(3 columns: x, y, z; separated by comma); did
/// you mean 'x'?". Local.
[[nodiscard]] std::string other_columns(const TableColumns& table, const std::string& word);

/// The name of a column, or its number from 1. Local.
[[nodiscard]] std::string column_name(const TableColumns& table, std::size_t column);

}  // namespace cairn
