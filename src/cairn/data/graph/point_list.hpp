// Files that list places by their coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Columns of a table that hold coordinates.
struct CoordinateColumns {
  std::size_t x = 0, y = 1;  ///< longitude and latitude, or x and y
  bool degrees = false;      ///< the header says longitude and latitude
};

/// The columns that a header names: longitude (also lon, lng, long) and latitude (lat), or x and y; capitals do not
/// matter. Nothing if it names none of these pairs, or one of a pair twice. Local.
[[nodiscard]] std::optional<CoordinateColumns> coordinate_columns(const std::vector<std::string>& header);

/// The first line of a text file, split into fields; none if it cannot be split. @throws Error(input) if the file
/// cannot be read. Local.
[[nodiscard]] std::vector<std::string> first_fields(const std::string& path);

/// Points in the order of a file.
struct PointList {
  std::vector<std::array<double, 2>> points;  ///< longitude and latitude, or x and y
  std::vector<Index> lines;                   ///< from 1
  bool degrees = false;                       ///< the header says longitude and latitude
};

/// True if the first line names columns of coordinates, or is two numbers. @param headers_alone  two numbers may be
/// something else. Local.
[[nodiscard]] bool lists_points(const std::string& path, bool headers_alone);

/// Reads a text file with a point a line: columns that its header names, in any order among others, or two numbers, of
/// which the first is the longitude (x). Fields are separated by tabs, semicolons, commas or blanks, as in the first
/// line, and may be quoted; lines that begin with # are comments. Plain, .gz or .xz.
/// @throws Error(input) with file:line for a line without two finite numbers. Local.
[[nodiscard]] PointList read_point_list(const std::string& path);

}  // namespace cairn
