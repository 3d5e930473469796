#include "cli/task_commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/task/prediction.hpp"
#include "cairn/task/task_parameters.hpp"
#include "keys/data_keys.hpp"
#include "keys/task_keys.hpp"
#include "models/model_commands.hpp"

namespace cairn::app {

Parameter json_option() {
  return {"json", "FILE", ValueType::output_path, "",
          "Also write everything that is printed as one JSON object to this file."};
}

namespace {

using enum ValueType;
using Names = std::vector<std::string>;

Names names_of(const std::vector<const TaskDescriptor*>& tasks) {
  Names names;
  for (const TaskDescriptor* task : tasks) names.push_back(task->name);
  return names;
}

Names keys_of_tasks(const std::vector<const TaskDescriptor*>& tasks) {
  Names keys;
  const auto any = [&](auto&& what) { return std::ranges::any_of(tasks, what); };
  if (any([](const auto* task) { return task->needs.matrix; })) {
    keys = with(place_keys(), {"similarity.path", "similarity.search", "similarity.command", "similarity.reuse"});
  }
  if (any([](const auto* task) { return !task->needs.argument.empty(); })) {
    keys = with(keys, {"data", "approximation", "run.precision"});
  }
  if (any([](const auto* task) { return task->needs.model != ModelKind::none; })) keys.emplace_back("output.path");
  if (any([](const auto* task) { return task->needs.draws; })) keys.emplace_back("run.seed");
  return with(keys, {"run.threads", "run.memory", "run.stall-timeout"});
}

// The command that runs tasks of that name.
Command command_of(const std::string& name) {
  const std::vector<const TaskDescriptor*> all = tasks_of(name);
  const bool matrix = std::ranges::any_of(all, [](const auto* task) { return task->needs.matrix; });
  const std::string several = several_results(name), own = all.front()->needs.argument;
  Command command{.name = name,
                  .summary = all.size() == 1
                                 ? all.front()->summary
                                 : fmt::format("Runs one of the tasks {} on results.", joined(names_of(all), ", ")),
                  .details = task_details(name),
                  .arguments = {!own.empty() ? Argument{"FILE", own}
                                             : Argument{several.empty() ? "FILE" : "FILE...",
                                                        fmt::format("A result file that cairn wrote{}.",
                                                                    several.empty() ? "" : "; " + several)}},
                  .keys = keys_of_tasks(all),
                  .options = task_options(name),
                  .takes_config = !own.empty(),
                  .run = run_task_command,
                  .check = check_task};
  if (matrix) {
    command.details +=
        " The matrix itself is evaluated on the data that the result's own config names, unless keys of [data] say "
        "where "
        "they are now. similarity.reuse names a result whose stored distances are taken.";
  }
  command.options.push_back(json_option());
  return command;
}

}  // namespace

std::vector<Command> task_commands(const std::vector<std::string>& taken) {
  std::vector<Command> all;
  for (const TaskDescriptor* task : tasks()) {
    if (contains(taken, task->command)) {
      throw Error(ErrorKind::internal,
                  fmt::format("the task {} names the command {}, which runs no tasks", task->name, task->command));
    }
    if (std::ranges::find(all, task->command, &Command::name) == all.end()) all.push_back(command_of(task->command));
  }
  return all;
}

Command predict_command() {
  return {
      "predict",
      "Predicts the values of objects from a model, and the result that it was trained on or points.",
      "A model of linearize takes points, which keys of [data] name, and needs nothing else; without --out its classes "
      "are counted. Of other models, objects that were not in the data are predicted from a file that extend made of "
      "that result. The mean of "
      "all models in the file is written; of Gaussian processes each value with its standard deviation; of a "
      "classifier classes, which are compared with the labels of the rows if there are any.",
      {{"MODEL", "A model file that cairn train or cairn linearize wrote."}},
      with(new_object_keys(), {"run.threads", "run.stall-timeout"}),
      task_parameters::with(prediction_parameters(), {json_option()}),
      false,
      run_predict,
      check_predict};
}

}  // namespace cairn::app
