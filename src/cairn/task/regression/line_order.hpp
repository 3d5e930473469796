// Whether lines of a table stand in the order of the rows that they are taken for.
#pragma once

#include <span>
#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/points/column_reader.hpp"

namespace cairn {

/// Whether the first column of a table holds what the rows are called, but in another order than the rows have.
enum class LineOrder {
  unknown,      ///< it does not, or rows have names in common or are fewer than 3
  other,        ///< it does: lines belong to other rows than those at their places
  other_values  ///< it does, and is itself one of several columns that were asked for
};

/// @param table  read from `source`, as many lines as rows; its first column is read again if it is none of those
/// @param own  rows of this rank @param names  of these; empty: they are called 0, 1, ... or 1, 2, ...
/// Collective.
[[nodiscard]] LineOrder line_order(const Communicator& communicator, const ColumnSource& source,
                                   const ColumnTable& table, Range own, std::span<const std::string> names);

}  // namespace cairn
