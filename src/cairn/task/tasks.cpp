#include "cairn/task/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/descriptors.hpp"

namespace cairn {

namespace {

// One entry per task.
std::vector<const TaskDescriptor*>& table() {
  static std::vector<const TaskDescriptor*> all = {
      &ridge_task(),    &process_task(), &svm_task(),     &kernel_svm_task(),
      &neighbor_task(), &linkage_task(), &scaling_task(), &linearize_task(),
  };
  return all;
}

}  // namespace

bool TaskDescriptor::has(const std::string& parameter) const {
  return std::ranges::any_of(parameters, [&](const Parameter& own) { return own.name == parameter; });
}

bool TaskDescriptor::takes_matrix(const Values& values) const {
  return needs.matrix && (without_matrix == nullptr || without_matrix(values).empty());
}

bool TaskDescriptor::takes_points(const Values& values) const {
  return needs.points && (without_matrix == nullptr || without_matrix(values).empty());
}

const std::vector<const TaskDescriptor*>& tasks() { return table(); }

std::vector<const TaskDescriptor*> tasks_of(const std::string& command) {
  std::vector<const TaskDescriptor*> of_command;
  std::ranges::copy_if(table(), std::back_inserter(of_command), [&](const auto* t) { return t->command == command; });
  return of_command;
}

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

ModelKind model_kind(const Communicator& communicator, const std::string& path) {
  const std::string task = read_model_task(communicator, path);
  const ModelKind kind = model_kind(task);
  if (kind != ModelKind::none) return kind;
  throw Error(ErrorKind::input, fmt::format("{}: its task is '{}', which this program does not know", path, task));
}

bool compares_objects(const Communicator& communicator, const std::string& path) {
  return read_model_task(communicator, path) == neighbor_task().name;
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

void check_output(const TaskDescriptor& task, const OutputPath& output) {
  std::vector<std::string> endings = task.needs.endings;
  if (!task.needs.output() || endings.empty()) return;
  if (std::ranges::any_of(endings, [&](const std::string& ending) { return output.file.ends_with(ending); })) return;
  const std::string last = endings.back();
  endings.pop_back();
  throw Error(ErrorKind::usage, fmt::format("{} {}: the name must end in {}{}{}", output.name, output.file,
                                            joined(endings, ", "), endings.empty() ? "" : " or ", last));
}

namespace {

// Checks before any work that the output replaces no input and that its location is writable.
void protect_inputs(const TaskDescriptor& task, const TaskInput& input) {
  const Communicator& communicator = input.execution.communicator;
  check_writable(communicator, input.output);
  for (const std::string& path : input.results) {
    require_other_file(communicator, input.output, "the result", path);
  }
  for (const Parameter& parameter : task.parameters) {
    const bool path = parameter.type == ValueType::input_path || parameter.type == ValueType::text;  // FILE[:COLUMN]
    if (!path || !input.values.given(parameter.name)) continue;
    const std::string &text = input.values.text(parameter.name), where = input.values.where(parameter.name);
    require_other_file(communicator, input.output, where, text);
    require_other_file(communicator, input.output, where, text.substr(0, text.rfind(':')));
  }
}

void require_same_inputs(const TaskDescriptor& task, const TaskInput& input) {
  std::vector<FileRead> files = files_read(task.parameters, input.values);
  for (const std::string& path : input.results) files.push_back({"the result", path});
  require_same_files(input.execution.communicator, files);
}

void require_square(const TaskDescriptor& task, const TaskInput& input) {
  if (!task.needs.argument.empty()) return;  // no results
  for (const std::string& path : input.results) {
    if (!read_result_shape(input.execution.communicator, path).rectangular) continue;
    throw Error(ErrorKind::usage, fmt::format("the task {} takes a matrix of the same objects in rows and columns; the "
                                              "columns of {} stand for others",
                                              task.name, path));
  }
}

// Notes on parts of results that the task does not use.
ReportText idle_entries(const TaskDescriptor& task, const TaskInput& input) {
  ReportText text;
  if (task.needs.near || !task.needs.argument.empty() || task.takes_matrix(input.values)) return text;
  for (const std::string& path : input.results) {
    const Index near = read_result_shape(input.execution.communicator, path).near;
    if (near == 0) continue;
    text.note(
        fmt::format("the task {} takes the factors alone: the exact entries of the {} nearest objects in {} have "
                    "no effect",
                    task.name, near, path));
  }
  return text;
}

}  // namespace

TaskReport run_task(const TaskDescriptor& task, const TaskInput& input) {
  check_parameters(task, input.values, input.results.size());
  if (task.needs.output() && input.output.file.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the task {} needs a path for the file that it writes", task.name));
  }
  check_output(task, input.output);
  if (task.needs.output()) protect_inputs(task, input);
  if (task.takes_matrix(input.values) && (!input.matrix_single || !input.matrix_double)) {
    throw Error(ErrorKind::usage, fmt::format("the task {} needs the matrix itself", task.name));
  }
  if (task.needs.square) require_square(task, input);
  if (!task.needs.argument.empty() && (!input.points || (task.needs.method != nullptr && !input.method))) {
    throw Error(ErrorKind::usage, fmt::format("the task {} needs points, and the parameters of its method", task.name));
  }
  require_same_inputs(task, input);
  const ReportText idle = idle_entries(task, input);
  TaskReport report = task.run(input);
  report.text.add(idle);
  if (input.tell && !idle.parts().empty()) input.tell(idle);
  return report;
}

}  // namespace cairn
