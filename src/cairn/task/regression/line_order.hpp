// Checks if lines of a table are in the order of the rows to which they are assigned.
#pragma once

#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/points/column_reader.hpp"

namespace cairn {

/// Result of a check if the first column of a table contains the names of the rows, but in another order.
enum class LineOrder {
  unknown,      ///< it does not, or row names are not unique, or there are fewer than 3 rows
  other,        ///< it does: lines belong to other rows than those at their positions
  other_values  ///< it does, and is itself one of several requested columns
};

/// @param table  read from `source`, with one line per row; its first column is read again if it was not requested
/// @param own  rows of this rank @param names  of these rows; empty: they are named 0, 1, ... or 1, 2, ...
/// Collective.
[[nodiscard]] LineOrder line_order(const Communicator& communicator, const ColumnSource& source,
                                   const ColumnTable& table, Range own, std::span<const std::string> names);

}  // namespace cairn
