// cairn linearize.
#pragma once

#include "cairn/task/task.hpp"

namespace cairn {

/// A linear model on features of inputs in place of a network with one hidden layer. It reads the network
/// (TaskInput::results) and points, and writes a ClassifierFile with the features.
[[nodiscard]] const TaskDescriptor& linearize_task();

}  // namespace cairn
