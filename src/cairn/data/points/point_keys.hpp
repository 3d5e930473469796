// Parameters of points that other readers of tables share.
#pragma once

#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Sets the columns of the coordinates, the treatment of missing values and the separator from the parameters columns,
/// ignore, missing and separator. @throws Error(usage) for an empty name in a list. Local.
void take_columns(const Values& values, PointSource& source);

/// Names with commas, shortened if there are many; an empty name is shown as ''. Local.
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

}  // namespace cairn
