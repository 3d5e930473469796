// The options of the tasks, from their descriptors.
#include "cairn/run/keys/task_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/merged_parameters.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/method_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"

namespace cairn {

namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse_unused(const Settings& settings, const std::string& key, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} has no effect {}", settings.where(key), why));
}

void refuse_unused_method_keys(const Settings& settings, const TaskDescriptor& task) {
  if (task.needs.method == nullptr) return;
  const MethodChoice choice = method_choice(settings, task.needs.method());
  check_parameters(*choice.method, choice.values, {.rectangular = true});
  UnusedKeys idle(settings);
  idle.add_unless(method_key, "the method", choice.method->name, {settings.text(method_key)});
  for (const auto& [name, owners] : methods_of_key()) {
    idle.add_unless(name, "the method", choice.method->name, owners);
  }
  for (const UnusedParameter& unused : unused_parameters(choice, {})) idle.add(method_prefix + unused.name, unused.why);
  if (!idle.list().empty()) throw Error(ErrorKind::usage, idle.list().front().message);
}

void refuse_unused_checkpoint(const Settings& settings, const TaskDescriptor& chosen, const Values& values) {
  refuse_unused_checkpoint_keys(settings);
  if (settings.text("run.checkpoint").empty()) return;
  const std::string why = chosen.unkept == nullptr ? "with --task " + chosen.name : chosen.unkept(values);
  if (!why.empty()) refuse_unused(settings, "run.checkpoint", why);
}

void refuse_unused_task_keys(const Settings& settings, const TaskDescriptor& chosen, const Values& values) {
  const std::string with_task = "with --task " + chosen.name;
  if (!chosen.needs.argument.empty()) {
    refuse_other_data(settings);
    refuse_unused_method_keys(settings, chosen);
  } else if (!chosen.takes_matrix(values)) {
    const bool points = chosen.takes_points(values);
    const bool reason = (chosen.needs.matrix || chosen.needs.points) && !points;
    const std::string why = reason ? chosen.without_matrix(values) : with_task + ": the factors are in the file";
    for (const std::string& key : settings.known_names()) {
      const bool unused = (!points && key.starts_with(data_prefix)) || key.starts_with("similarity.");
      if (unused && settings.given(key)) refuse_unused(settings, key, why);
    }
  }
  for (const TaskDescriptor* task : tasks()) {
    for (const Parameter& parameter : task->parameters) {
      if (settings.given(parameter.name) && !chosen.has(parameter.name)) {
        refuse_unused(settings, parameter.name, with_task);
      }
    }
  }
  for (const char* output : {"output.path", "out"}) {
    if (settings.given(output) && output != output_option(chosen)) refuse_unused(settings, output, with_task);
  }
}

}  // namespace

std::vector<Parameter> task_options(const std::string& command) {
  Names names, files;
  std::vector<ParameterOwner> owners;
  for (const TaskDescriptor* task : tasks_of(command)) {
    names.push_back(task->name);
    owners.push_back({task->name, &task->parameters});
    if (!task->needs.file.empty()) files.push_back(task->needs.file);
  }
  std::vector<Parameter> options = {{.name = "task",
                                     .value = "NAME",
                                     .type = ValueType::choice,
                                     .fallback = names.front(),
                                     .help = "What is done; 'cairn help task NAME' prints what one task takes.",
                                     .choices = names}};
  if (names.size() == 1) {
    options.front().help = "Has one value. Scripts of earlier versions give it.";
    options.front().rare = true;
    options.insert(options.end(), owners.front().parameters->begin(), owners.front().parameters->end());
  } else {
    for (Parameter& option : merged_parameters("", owners)) options.push_back(std::move(option));
  }
  if (!files.empty()) {
    options.push_back({.name = "out",
                       .value = "FILE",
                       .type = ValueType::output_path,
                       .help = fmt::format("The file that is written. {}", joined(files, " "))});
  }
  return options;
}

std::string task_details(const std::string& command) {
  const auto all = tasks_of(command);
  if (all.size() == 1) return all.front()->details;
  Names sentences;
  for (const TaskDescriptor* task : all) {
    sentences.push_back(fmt::format("{}: {}", task->name, task->details.empty() ? task->summary : task->details));
  }
  return joined(sentences, " ");
}

std::string several_results(const std::string& command) {
  std::vector<std::pair<std::string, Names>> uses;
  for (const TaskDescriptor* task : tasks_of(command)) {
    const std::string& use = task->needs.several;
    if (use.empty()) continue;
    auto found = std::ranges::find(uses, use, &std::pair<std::string, Names>::first);
    if (found == uses.end()) found = uses.insert(uses.end(), {use, {}});
    found->second.push_back(task->name);
  }
  Names parts;
  for (const auto& [use, names] : uses) parts.push_back(fmt::format("{} ({})", use, joined(names, ", ")));
  return parts.empty() ? "" : fmt::format("several {}", joined(parts, " or "));
}

const TaskDescriptor& task_of(const Settings& settings) { return task_named(settings.text("task")); }

Values task_values(const Settings& settings) {
  return Values(task_of(settings).parameters, settings, "").named(task_keys);
}

std::optional<Values> method_values(const Settings& settings, const TaskDescriptor& task) {
  if (task.needs.method == nullptr) return std::nullopt;
  return method_choice(settings, task.needs.method()).values;
}

void refuse_other_data(const Settings& settings) {
  refuse_unused_data_keys(settings);
  if (&data_kind(settings) == &point_data()) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} = {}: points are taken", settings.where(data_key), settings.text(data_key)));
}

std::string output_option(const TaskDescriptor& task) {
  if (task.needs.model != ModelKind::none) return "output.path";
  return task.needs.file.empty() ? "" : "out";
}

OutputPath task_output(const Settings& settings) {
  const std::string option = output_option(task_of(settings));
  if (option.empty()) return {""};
  return {settings.text(option), option == "out" ? task_keys(option) : option};
}

void check_task(const Settings& settings, const std::vector<std::string>& results) {
  const TaskDescriptor& chosen = task_of(settings);
  const Values values = task_values(settings);
  refuse_unused_task_keys(settings, chosen, values);
  check_parameters(chosen, values, results.size());
  if (const std::string option = output_option(chosen); !option.empty()) settings.required(option);
  check_output(chosen, task_output(settings));
  if (settings.knows("run.checkpoint")) refuse_unused_checkpoint(settings, chosen, values);
  const std::string why = chosen.undrawn == nullptr ? "" : chosen.undrawn(values, results.size());
  if (settings.knows("run.seed") && settings.given("run.seed") && !why.empty())
    refuse_unused(settings, "run.seed", why);
}

}  // namespace cairn
