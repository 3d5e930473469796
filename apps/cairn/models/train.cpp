// cairn train: which task it is, and which keys belong to it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "models/model_commands.hpp"

namespace cairn::app {

namespace {

struct Task {
  std::string name;
  std::vector<std::string> keys;  ///< that other tasks may not have
  bool exact;                     ///< evaluates the matrix itself: takes data
  void (*run)(Job& job);
  void (*check)(const Settings& settings, const std::vector<std::string>& arguments);  ///< as Command::check
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = {
      {"krr", {"targets", "targets-key", "lambda", "leave-one-out", "output.path"}, false, train_ridge, check_ridge},
      {"svm", {"cost", "loss", "folds", "bias", "tolerance", "repeats", "output.path"}, false, train_svm, check_svm},
      {"kernel-svm", {"cost", "folds", "tolerance"}, true, train_kernel_svm, check_svm},
  };
  return all;
}

const Task& task_of(const Settings& settings) {
  const auto found = std::ranges::find(tasks(), settings.text("task"), &Task::name);
  return *found;  // Settings has compared it with the choices
}

}  // namespace

void check_train(const Settings& settings, const std::vector<std::string>& arguments) {
  const Task& chosen = task_of(settings);
  for (const std::string& key : settings.known_names()) {
    if (chosen.exact || !settings.given(key) || !(key.starts_with("data.") || key.starts_with("similarity."))) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} has no effect with --task {}: the factors are in the file", key, chosen.name));
  }
  for (const Task& task : tasks()) {
    for (const std::string& key : task.keys) {
      if (!settings.given(key) || contains(chosen.keys, key)) continue;
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect with --task {}", key, chosen.name));
    }
  }
  chosen.check(settings, arguments);
}

void run_train(Job& job) { task_of(job.settings).run(job); }

}  // namespace cairn::app
