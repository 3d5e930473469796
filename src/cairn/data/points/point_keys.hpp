// Parameters of points that other readers of tables share.
#pragma once

#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Sets which columns become coordinates, what becomes of missing values, and the separator, as the parameters columns,
/// ignore, missing and separator specify. @throws Error(usage) for an empty name in a list. Local.
void take_columns(const Values& values, PointSource& source);

/// Names with commas, shortened if there are many; a column without a name as ''. Local.
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

}  // namespace cairn
