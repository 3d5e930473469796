// Support vector machines on the matrix itself, for small sets, as a task.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// kernel-svm. It is scored, and not kept. docs/task-svm.md
[[nodiscard]] const TaskDescriptor& kernel_svm_task();

}  // namespace cairn
