// The options of the tasks, and what the settings say of the chosen one: all from the descriptors.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn::app {

/// How messages name the parameters of a task, which are options of its command, and what they advise beside.
inline const KeyNames task_keys("--");

/// The option that chooses a task, and those of all tasks.
[[nodiscard]] std::vector<Parameter> task_options();
/// Sentences for help: what each task does, and what several results do to it.
[[nodiscard]] std::string task_details();
[[nodiscard]] std::string several_results();

/// The chosen task, and the values of its parameters, which refer to `settings`. Local.
[[nodiscard]] const TaskDescriptor& task_of(const Settings& settings);
[[nodiscard]] Values task_values(const Settings& settings);

/// @throws Error(usage) for keys that have no effect with the chosen task, as check_parameters of it, and where what it
/// writes has no path. Local.
void check_task(const Settings& settings, const std::vector<std::string>& results);

}  // namespace cairn::app
