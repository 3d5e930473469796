// Lists of rows in text files.
#pragma once

#include <string>
#include <vector>

#include "base/communicator.hpp"
#include "base/row_partition.hpp"

namespace cairn {

/// The row numbers from 0 that a text file holds, one a line ('#' starts a comment): those that this rank owns,
/// ascending. Every rank reads the file line by line and keeps its own.
/// @throws Error(input) with file:line for what is no row number, out of range or there twice; where there are none.
/// Collective.
[[nodiscard]] std::vector<Index> read_row_list(const Communicator& communicator, const std::string& path,
                                               const RowPartition& partition);

}  // namespace cairn
