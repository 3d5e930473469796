// cairn predict: values or classes of objects from a model and their factor rows.
#include <algorithm>
#include <memory>

#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/task/prediction.hpp"
#include "cairn/task/tasks.hpp"
#include "models/model_commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/new_objects.hpp"
#include "pipeline/stored.hpp"
#include "pipeline/stored_matrix.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

bool of_points(const Settings& settings) {
  return std::ranges::any_of(settings.known_names(), [&](const std::string& name) {
    return name.starts_with(data_prefix) && settings.given(name);
  });
}

}  // namespace

void check_predict(const Settings& settings, const std::vector<std::string>& /*arguments*/) {
  of_points(settings) ? refuse_unused_data_keys(settings) : static_cast<void>(settings.required("out"));
}

void run_predict(Job& job) {
  const Settings& settings = job.settings;
  check_output(job, "out");
  check_output(job, "json");
  Context context(job.communicator, settings);
  const Execution& execution = context.execution();
  // A model that compares objects reads those of its result where keys of [data] say.
  const bool of_objects = compares_objects(job.communicator, job.arguments.front());
  if (of_points(settings) && !of_objects) refuse_other_data(settings);
  const auto find_new = [&]<class T>(const std::string& known, const Approximation<T>& approximation,
                                     const std::string& unseen) -> std::unique_ptr<MatrixOfNewObjects<T>> {
    return std::make_unique<NewObjects<T>>(execution, settings, known, approximation, unseen);
  };
  const TaskReport report =
      predict_rows({.execution = context.execution(),
                    .model = job.arguments.front(),
                    .output = {settings.text("out"), "--out"},
                    .results = settings.all("result"),
                    .points = of_points(settings) && !of_objects ? std::optional(data_values(settings)) : std::nullopt,
                    .rows = settings.text("rows"),
                    .format = settings.text("format"),
                    .keys = task_keys,
                    .matrix_single = find_stored_matrix<float>(execution, settings),
                    .matrix_double = find_stored_matrix<double>(execution, settings),
                    .new_single = find_new,
                    .new_double = find_new,
                    .begin = [&](const std::vector<std::string>& results) {
                      protect_stored_data(job, {settings.text("out"), "--out"}, results);
                      print(job.communicator, header(job, context.execution().threads));
                    }});
  print_result(job.communicator, text_of(report.text));
  finish_report(job, context, report);
}

}  // namespace cairn::app
