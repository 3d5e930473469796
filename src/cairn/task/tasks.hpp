// The table of tasks, and running one of them.
#pragma once

#include <string>
#include <vector>

#include "cairn/task/task.hpp"

namespace cairn {

/// All tasks, in the order of help; the first is the default. Local.
[[nodiscard]] const std::vector<const TaskDescriptor*>& tasks();

/// Those that a command of the program runs, in this order. Local.
[[nodiscard]] std::vector<const TaskDescriptor*> tasks_of(const std::string& command);

/// The task of that name. @throws Error(usage) if there is none; it suggests the nearest. Local.
[[nodiscard]] const TaskDescriptor& task_named(const std::string& name);

/// What the model of that task is of; none for a name that no task has. Local.
[[nodiscard]] ModelKind model_kind(const std::string& task);

/// The same of the task that wrote the model file. @throws Error(input) if no task of that name has a model, and as
/// read_model_task. Collective.
[[nodiscard]] ModelKind model_kind(const Communicator& communicator, const std::string& path);

/// Puts a task in the table: one of a program that uses this library. It outlives all use of the table. Call it before
/// anything else does. @throws Error(usage) if there is one of that name. Local.
void add_task(const TaskDescriptor& task);

/// The form, range and choices of every given parameter, the number of results, and the task's own rules.
/// @throws Error(usage). Local.
void check_parameters(const TaskDescriptor& task, const Values& values, std::size_t results);

/// @throws Error(usage) if the name of the file does not end as the task asks. Local.
void check_output(const TaskDescriptor& task, const OutputPath& output);

/// Checks the parameters and runs the task. @return what it found; it has also written its file, if it has one.
/// @throws Error(usage) for parameters out of range, as check_output(), if the path of a file is missing, or the matrix
///   itself for a task that evaluates it; what the task throws. Collective.
[[nodiscard]] TaskReport run_task(const TaskDescriptor& task, const TaskInput& input);

}  // namespace cairn
