// Kernel ridge regression through the factors of stored results, as a task.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// krr. One model a result; the mean of several is predicted. docs/task-krr.md
[[nodiscard]] const TaskDescriptor& ridge_task();

}  // namespace cairn
