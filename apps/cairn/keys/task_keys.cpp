// The options of the tasks, from their descriptors.
#include "keys/task_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "keys/merged_keys.hpp"

namespace cairn::app {

namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse_idle(const Settings& settings, const std::string& key, const TaskDescriptor& task,
                              const std::string& why = "") {
  throw Error(ErrorKind::usage, fmt::format("{} has no effect with --task {}{}", settings.where(key), task.name, why));
}

void refuse_idle_task_keys(const Settings& settings, const TaskDescriptor& chosen) {
  for (const std::string& key : settings.known_names()) {
    if (chosen.needs.matrix || !settings.given(key)) continue;
    if (!key.starts_with("data.") && !key.starts_with("similarity.")) continue;
    refuse_idle(settings, key, chosen, ": the factors are in the file");
  }
  for (const TaskDescriptor* task : tasks()) {
    for (const Parameter& parameter : task->parameters) {
      if (settings.given(parameter.name) && !chosen.has(parameter.name)) refuse_idle(settings, parameter.name, chosen);
    }
  }
  if (chosen.needs.model == ModelKind::none && settings.given("output.path")) {
    refuse_idle(settings, "output.path", chosen);
  }
}

}  // namespace

std::vector<Parameter> task_options() {
  Names names;
  std::vector<Owner> owners;
  for (const TaskDescriptor* task : tasks()) {
    names.push_back(task->name);
    owners.push_back({task->name, &task->parameters});
  }
  std::vector<Parameter> options = {{.name = "task",
                                     .value = "NAME",
                                     .type = ValueType::choice,
                                     .fallback = names.front(),
                                     .help = "What is done; 'cairn help task NAME' prints what one task takes.",
                                     .choices = names}};
  for (Parameter& option : merged_keys("", owners)) options.push_back(std::move(option));
  return options;
}

std::string task_details() {
  Names sentences;
  for (const TaskDescriptor* task : tasks()) {
    sentences.push_back(fmt::format("{}: {}", task->name, task->details.empty() ? task->summary : task->details));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string several_results() {
  std::vector<std::pair<std::string, Names>> uses;
  for (const TaskDescriptor* task : tasks()) {
    const std::string& use = task->needs.several;
    if (use.empty()) continue;
    auto found = std::ranges::find(uses, use, &std::pair<std::string, Names>::first);
    if (found == uses.end()) found = uses.insert(uses.end(), {use, {}});
    found->second.push_back(task->name);
  }
  Names parts;
  for (const auto& [use, names] : uses) parts.push_back(fmt::format("{} ({})", use, fmt::join(names, ", ")));
  return fmt::format("several {}", fmt::join(parts, " or "));
}

const TaskDescriptor& task_of(const Settings& settings) { return task_named(settings.text("task")); }

Values task_values(const Settings& settings) {
  return Values(task_of(settings).parameters, settings, "").named(task_keys);
}

void check_task(const Settings& settings, const std::vector<std::string>& results) {
  const TaskDescriptor& chosen = task_of(settings);
  refuse_idle_task_keys(settings, chosen);
  const Values values = task_values(settings);
  check_parameters(chosen, values, results.size());
  if (chosen.needs.model != ModelKind::none) settings.required("output.path");
  const std::string why = chosen.undrawn == nullptr ? "" : chosen.undrawn(values, results.size());
  if (settings.given("run.seed") && !why.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect {}", settings.where("run.seed"), why));
  }
}

}  // namespace cairn::app
