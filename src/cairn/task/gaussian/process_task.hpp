// Gaussian process regression on the factor rows of a stored result, as a task.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// gp. One process a target; means and standard deviations are predicted. docs/task-gp.md
[[nodiscard]] const TaskDescriptor& process_task();

}  // namespace cairn
