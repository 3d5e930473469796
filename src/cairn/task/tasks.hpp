// The table of tasks, and functions to run a task.
#pragma once

#include <string>
#include <vector>

#include "cairn/task/task.hpp"

namespace cairn {

/// All tasks, in the order of help; the first is the default. Local.
[[nodiscard]] const std::vector<const TaskDescriptor*>& tasks();

/// Tasks that a command of the program runs, in this order. Local.
[[nodiscard]] std::vector<const TaskDescriptor*> tasks_of(const std::string& command);

/// The task with this name. @throws Error(usage) if there is none; the message suggests the nearest name. Local.
[[nodiscard]] const TaskDescriptor& task_named(const std::string& name);

/// Kind of the task's model; none if no task has this name. Local.
[[nodiscard]] ModelKind model_kind(const std::string& task);

/// Kind of the model of the task that wrote the model file. @throws Error(input) if no task of that name has a model,
/// and as read_model_task. Collective.
[[nodiscard]] ModelKind model_kind(const Communicator& communicator, const std::string& path);

/// True if the model in a file compares objects by K itself: predictions need the objects of its result. @throws
/// Error(input) as read_model_task. Collective.
[[nodiscard]] bool compares_objects(const Communicator& communicator, const std::string& path);

/// Adds a task to the table, for programs that use this library. The task must outlive all use of the table. Call this
/// before any other function. @throws Error(usage) if a task with that name exists. Local.
void add_task(const TaskDescriptor& task);

/// Checks the form, range and choices of every given parameter, the number of results, and the task's own rules.
/// @throws Error(usage). Local.
void check_parameters(const TaskDescriptor& task, const Values& values, std::size_t results);

/// @throws Error(usage) if the file name does not have an ending that the task permits. Local.
void check_output(const TaskDescriptor& task, const OutputPath& output);

/// Checks the parameters, runs the task and writes its file, if it has one. @return its report
/// @throws Error(usage) for parameters out of range, as check_output(), if the path of a file is missing, or if the
///   matrix itself is missing for a task that evaluates it; what the task throws. Collective.
[[nodiscard]] TaskReport run_task(const TaskDescriptor& task, const TaskInput& input);

}  // namespace cairn
