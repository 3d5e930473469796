// The options of the tasks, and what the settings say of the chosen one: all from the descriptors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn::app {

/// How messages name the parameters of a task, which are options of its command, and what they advise beside.
inline const KeyNames task_keys("--");

/// Of the tasks of one command: the option that chooses one, those of all of them, and --out if one writes a file that
/// is no model.
[[nodiscard]] std::vector<Parameter> task_options(const std::string& command);
/// Sentences for help: what each of them does, and what several results do to it (empty if each takes one).
[[nodiscard]] std::string task_details(const std::string& command);
[[nodiscard]] std::string several_results(const std::string& command);

/// The chosen task, and the values of its parameters, which refer to `settings`. Local.
[[nodiscard]] const TaskDescriptor& task_of(const Settings& settings);
[[nodiscard]] Values task_values(const Settings& settings);
/// The option that names the file that a task writes: output.path, or --out; empty if it writes none. Local.
[[nodiscard]] std::string output_option(const TaskDescriptor& task);
/// That file of the chosen task. Local.
[[nodiscard]] OutputPath task_output(const Settings& settings);

/// @throws Error(usage) for keys that have no effect with the chosen task, as check_parameters of it, and if what it
/// writes has no path, or one with another ending. Local.
void check_task(const Settings& settings, const std::vector<std::string>& results);

/// Those of the method that the task runs, or nothing. Local.
[[nodiscard]] std::optional<Values> method_values(const Settings& settings, const TaskDescriptor& task);
/// @throws Error(usage) for keys of [data] without effect, and for data that are no points. Local.
void refuse_other_data(const Settings& settings);

}  // namespace cairn::app
