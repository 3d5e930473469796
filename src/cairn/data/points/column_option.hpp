// Texts that name columns of a file.
#pragma once

#include <string>

#include "cairn/data/points/column_reader.hpp"

namespace cairn {

/// Parses FILE or FILE:COLUMN,COLUMN; the name of an existing file may contain a colon. @param keys  names of the
/// data's parameters for messages. Local.
[[nodiscard]] ColumnSource column_source(const std::string& text, const KeyNames& keys);

}  // namespace cairn
