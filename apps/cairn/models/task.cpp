// The commands that run tasks on results (train, cluster, embed): choose the task, run it and report.
#include "cairn/task/task.hpp"

#include <fmt/format.h>

#include <optional>

#include "cairn/parameters/settings.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/run/keys/data_keys.hpp"
#include "cairn/run/keys/key_names.hpp"
#include "cairn/run/keys/request.hpp"
#include "cairn/run/keys/task_keys.hpp"
#include "cairn/run/keys/unused_keys.hpp"
#include "cairn/run/outcome/run_outcome.hpp"
#include "models/model_commands.hpp"
#include "pipeline/context.hpp"
#include "pipeline/stored.hpp"
#include "report/output_rules.hpp"
#include "report/report.hpp"
#include "report/task_report.hpp"

namespace cairn::app {

namespace {

// The matrix itself for a task, for the objects that a result was made from.

template <class T>
class StoredMatrix final : public MatrixOfResult<T> {
 public:
  StoredMatrix(const Execution& execution, const Settings& given, const std::string& path,
               const ResultDescription& description)
      : execution_(execution),
        path_(path),
        description_(description),
        // The inputs of the results themselves may no longer exist.
        reused_(given.given("similarity.reuse") ? given.text("similarity.reuse") : ""),
        settings_(stored_settings(description, path, given)),
        request_(checked_request(settings_)) {
    data_ = load_stored_data<T>(execution, request_, description, path,
                                read_result_shape(execution.communicator, path).rows);
  }

  [[nodiscard]] const ObjectSet& objects() override { return *data_.objects; }
  [[nodiscard]] const Similarity<T>& entries() override { return *matrix().entries; }
  [[nodiscard]] const ObjectSet& compared() override { return *matrix().objects; }
  [[nodiscard]] Index evaluations() const override { return matrix_ ? matrix_->evaluations() : 0; }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    if (distances_ == nullptr) return {};
    const auto& use = distances_->use();
    if (use.other_block > 0) {
      return {fmt::format("{}: all distances were evaluated, since not all of them are in {}", path_, reused_)};
    }
    if (use.other_columns == 0) return {};
    return {fmt::format("{}: {} of {} columns of distances were evaluated, since they are not in {}", path_,
                        grouped(use.other_columns), grouped(use.known_columns + use.other_columns), reused_)};
  }

  // For distances: the bytes of this node's ranks, and those that each of them assembles.
  [[nodiscard]] Index bytes_beside(Index matrix_bytes) const override {
    if (reused_.empty()) return 0;
    const Communicator& communicator = execution_.communicator;
    const Index columns = read_distances_shape(communicator, reused_, output_keys).columns;
    const Index all = read_result_shape(communicator, reused_).rows * columns * static_cast<Index>(sizeof(double));
    const Index here = communicator.node().size();
    return all / communicator.size() * here + matrix_bytes * here;
  }

 private:
  ExactMatrix<T>& matrix() {
    if (matrix_) return *matrix_;
    matrix_.emplace(stored_exact_matrix(execution_, settings_, request_, description_, data_));
    if (!reused_.empty()) distances_ = use_distances(execution_, data_, *matrix_, {reused_, false}, named_keys());
    return *matrix_;
  }

  const Execution& execution_;
  std::string path_;
  ResultDescription description_;
  std::string reused_;
  Settings settings_;
  RunRequest request_;  // refers to settings_
  Data<T> data_;
  std::optional<ExactMatrix<T>> matrix_;
  std::shared_ptr<DistanceTable<T>> distances_;
};

// Finds the data of a result at the location given by its own config and `settings`. With similarity.reuse, uses the
// distances stored there. References must outlive the returned function. Local; the returned function is collective.
// @throws the returned function: as stored_settings, load_stored_data, stored_exact_matrix, use_distances
template <class T>
FindMatrix<T> find_stored_matrix(const Execution& execution, const Settings& settings) {
  return [&](const std::string& path, const ResultDescription& description) {
    return std::make_unique<StoredMatrix<T>>(execution, settings, path, description);
  };
}

}  // namespace

void run_task_command(Job& job) {
  const Settings& settings = job.settings;
  const TaskDescriptor& task = task_of(settings);
  const std::string output = output_option(task);
  const bool of_points = !task.needs.argument.empty();
  if (!output.empty() && !of_points) protect_stored_data(job, task_output(settings), job.arguments);  // their inputs
  if (output == "out") check_output(job, output);
  if (output == "output.path") check_output(job, output, OutputForm::model);
  check_output(job, "json");
  Context context(job.communicator, settings);
  const int threads = context.execution().threads;
  bool begun = false;
  const auto tell = [&](const ReportText& text) {
    if (!begun) print(job.communicator, header(job, threads));
    begun = true;
    print_result(job.communicator, text_of(text));
  };
  const TaskReport report = run_task(task, {.execution = context.execution(),
                                            .results = job.arguments,
                                            .values = task_values(settings),
                                            .output = task_output(settings),
                                            .memory = memory_of(settings),
                                            .provenance = run_provenance(job, threads),
                                            .keys = {.data = data_keys, .approximation = approximation_keys},
                                            .matrix_single = find_stored_matrix<float>(context.execution(), settings),
                                            .matrix_double = find_stored_matrix<double>(context.execution(), settings),
                                            .points = of_points ? std::optional(data_values(settings)) : std::nullopt,
                                            .method = method_values(settings, task),
                                            .precision = of_points ? settings.text("run.precision") : "double",
                                            .tell = tell});
  if (!begun) tell(report.text);
  finish_report(job, context, report);
}

}  // namespace cairn::app
