// Texts that name columns of a file.
#pragma once

#include <string>

#include "cairn/data/points/column_reader.hpp"

namespace cairn {

/// FILE or FILE:COLUMN,COLUMN; a file whose name has a colon is taken as it is. @param keys  of the data: messages name
/// its columns so. Local.
[[nodiscard]] ColumnSource column_source(const std::string& text, const KeyNames& keys);

}  // namespace cairn
