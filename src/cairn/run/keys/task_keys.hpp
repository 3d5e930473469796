// The options of the tasks, and the values of the chosen task: all from the descriptors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/parameters/settings.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

/// Names, in messages and their advice, of the parameters of a task, which are options of its command.
inline const KeyNames task_keys("--");

/// Options of the tasks of one command: the option that chooses a task, those of all tasks, and --out if a task writes
/// a file that is not a model.
[[nodiscard]] std::vector<Parameter> task_options(const std::string& command);
/// Sentences for help: the effect of each task, and the use of several results (empty if each task takes one).
[[nodiscard]] std::string task_details(const std::string& command);
[[nodiscard]] std::string several_results(const std::string& command);

/// The chosen task, and the values of its parameters, which refer to `settings`. Local.
[[nodiscard]] const TaskDescriptor& task_of(const Settings& settings);
[[nodiscard]] Values task_values(const Settings& settings);
/// Option that names the output file of a task: output.path, or --out; empty if it writes none. Local.
[[nodiscard]] std::string output_option(const TaskDescriptor& task);
/// Output file of the chosen task. Local.
[[nodiscard]] OutputPath task_output(const Settings& settings);

/// @throws Error(usage) for keys that have no effect with the chosen task, as its check_parameters, and if its output
/// has no path, or one with another extension. Local.
void check_task(const Settings& settings, const std::vector<std::string>& results);

/// Values of the method that the task runs, or nothing. Local.
[[nodiscard]] std::optional<Values> method_values(const Settings& settings, const TaskDescriptor& task);
/// @throws Error(usage) for keys of [data] without effect, and for data that are not points. Local.
void refuse_other_data(const Settings& settings);

}  // namespace cairn
