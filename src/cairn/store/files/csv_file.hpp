// CSV files with one line for each of some rows of the data.
#pragma once

#include <functional>
#include <string>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Number of rows whose lines or values are collected at a time: no rank ever holds those of n rows.
inline constexpr Index row_window = Index{1} << 16;

inline constexpr const char* csv_ending = ".csv";

/// A comma and a text as a field of CSV, quoted if necessary. Local.
[[nodiscard]] std::string next_csv_field(const std::string& text);

/// Writes a heading and the lines of all ranks, in the order of the rows, completely or not at all. Works by windows of
/// rows: no rank ever holds n lines. @param rows  number of rows of the data @param own_lines  lines of this rank's
/// rows in a window, each terminated @param window  number of rows per window
/// @throws Error(resource). Collective.
void write_csv_lines(const Communicator& communicator, const std::string& path, const std::string& heading, Index rows,
                     const std::function<std::string(Range window)>& own_lines, Index window = row_window);

}  // namespace cairn
