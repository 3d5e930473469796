// Coordinates for the objects of a result: classical scaling and kernel principal component analysis.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

[[nodiscard]] const TaskDescriptor& scaling_task();

}  // namespace cairn
