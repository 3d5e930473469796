// CSV files with a line for each of some rows of the data.
#pragma once

#include <functional>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn::app {

/// A text as a field of CSV, in quotation marks where it must be. Local.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Writes a heading and the lines of all ranks, in the order of rows, complete or not at all. By windows of rows: no
/// rank ever holds n lines. @param rows  of the data @param own_lines  those of this rank's rows in a window, each
/// ended
/// @throws Error(resource). Collective.
void write_csv_lines(const Communicator& communicator, const std::string& path, const std::string& heading, Index rows,
                     const std::function<std::string(Range window)>& own_lines);

}  // namespace cairn::app
