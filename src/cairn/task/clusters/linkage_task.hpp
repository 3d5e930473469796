// Groups of the objects of a result by average linkage, and their scores against given ones.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

[[nodiscard]] const TaskDescriptor& linkage_task();

}  // namespace cairn
