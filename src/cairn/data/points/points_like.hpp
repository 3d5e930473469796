// Points of another file, read in the same way as those of a first file.
#pragma once

#include <optional>
#include <string>

#include "cairn/data/data_kind.hpp"

namespace cairn {

/// Settings of the other file alone.
struct OtherPoints {
  std::string path;
  std::string format{};                ///< empty: from the name of the file
  std::optional<std::string> dataset;  ///< nothing: that of the first file
  std::optional<std::string> label{};  ///< nothing: that of a first file of the same format, unless it is a file itself
  KeyNames keys{};                     ///< names of the other parameters of the points
};

/// Reads points from the same columns, with the same number of coordinates, and scales them in the same way.
/// @param points  values of point_data() with which the first points were read @param first  the first points
/// @throws as read_data. Collective.
template <class T>
[[nodiscard]] Data<T> read_points_like(const Execution& execution, const Values& points, const Data<T>& first,
                                       const OtherPoints& other);

}  // namespace cairn
