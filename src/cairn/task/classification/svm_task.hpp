// Linear support vector machines on the factors of stored results, as a task.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// svm. Of several Cs and results cross-validation chooses. docs/task-svm.md
[[nodiscard]] const TaskDescriptor& svm_task();

}  // namespace cairn
