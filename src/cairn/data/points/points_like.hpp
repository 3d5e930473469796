// Points of another file, read as those of a first one were.
#pragma once

#include <optional>
#include <string>

#include "cairn/data/data_kind.hpp"

namespace cairn {

/// What is said of the other file alone.
struct OtherPoints {
  std::string path;
  std::string format{};                ///< empty: from its name
  std::optional<std::string> dataset;  ///< nothing: that of the first file
  std::optional<std::string> label{};  ///< nothing: that of a first file of the same format, unless it is a file itself
  KeyNames keys{};                     ///< of the points, but for these
};

/// In the same columns, with as many coordinates, and scaled likewise. @param points  values of point_data() that the
/// first ones were read with @param first  these @throws as read_data. Collective.
template <class T>
[[nodiscard]] Data<T> read_points_like(const Execution& execution, const Values& points, const Data<T>& first,
                                       const OtherPoints& other);

}  // namespace cairn
