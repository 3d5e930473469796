#include "cairn/task/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/task/classification/kernel_svm_task.hpp"
#include "cairn/task/classification/svm_task.hpp"
#include "cairn/task/regression/ridge_task.hpp"

namespace cairn {

namespace {

// One line a task.
std::vector<const TaskDescriptor*>& table() {
  static std::vector<const TaskDescriptor*> all = {
      &ridge_task(),
      &svm_task(),
      &kernel_svm_task(),
  };
  return all;
}

}  // namespace

bool TaskDescriptor::has(const std::string& parameter) const {
  return std::ranges::any_of(parameters, [&](const Parameter& own) { return own.name == parameter; });
}

const std::vector<const TaskDescriptor*>& tasks() { return table(); }

const TaskDescriptor& task_named(const std::string& name) {
  std::vector<std::string> names;
  for (const TaskDescriptor* task : table()) {
    if (task->name == name) return *task;
    names.push_back(task->name);
  }
  throw Error(ErrorKind::usage, fmt::format("no task is called '{}'{}", name, suggestion(name, names)));
}

ModelKind model_kind(const std::string& task) {
  const auto found = std::ranges::find(table(), task, [](const TaskDescriptor* one) { return one->name; });
  return found == table().end() ? ModelKind::none : (*found)->needs.model;
}

void add_task(const TaskDescriptor& task) {
  if (std::ranges::any_of(table(), [&](const auto* other) { return other->name == task.name; })) {
    throw Error(ErrorKind::usage, fmt::format("there is a task called '{}'", task.name));
  }
  table().push_back(&task);
}

void check_parameters(const TaskDescriptor& task, const Values& values, std::size_t results) {
  if (results == 0) throw Error(ErrorKind::usage, fmt::format("the task {} needs a result", task.name));
  if (results > 1 && task.needs.several.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the task {} takes one result, not {}", task.name, results));
  }
  for (const Parameter& parameter : task.parameters) {
    if (values.given(parameter.name)) check_value(parameter, values.text(parameter.name), values.where(parameter.name));
  }
  if (task.check != nullptr) task.check(values, results);
}

TaskReport run_task(const TaskDescriptor& task, const TaskInput& input) {
  check_parameters(task, input.values, input.results.size());
  if (task.needs.model != ModelKind::none && input.model.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the task {} needs a path for its model", task.name));
  }
  if (task.needs.matrix && (!input.matrix_single || !input.matrix_double)) {
    throw Error(ErrorKind::usage, fmt::format("the task {} needs the matrix itself", task.name));
  }
  return task.run(input);
}

}  // namespace cairn
