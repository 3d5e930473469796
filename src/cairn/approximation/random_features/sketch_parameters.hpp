// Parameters of poly-tensorsketch. Private to this folder.
#pragma once

#include <vector>

#include "cairn/parameters/parameter.hpp"

namespace cairn {

[[nodiscard]] std::vector<Parameter> sketch_parameters();

}  // namespace cairn
