// Options that name columns of a file.
#pragma once

#include <string>

#include "cairn/data/points/column_reader.hpp"

namespace cairn::app {

/// FILE or FILE:COLUMN,COLUMN; a file whose name has a colon is taken as it is. Local.
[[nodiscard]] ColumnSource column_source(const std::string& text);

}  // namespace cairn::app
