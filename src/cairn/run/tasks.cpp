#include "cairn/run/tasks.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/run/session.hpp"

namespace cairn {

namespace {

template <class T>
class MatrixOfProgram final : public MatrixOfResult<T> {
 public:
  explicit MatrixOfProgram(const SimilarityMatrix<T>& matrix) : matrix_(matrix), before_(matrix.evaluations()) {}

  [[nodiscard]] const ObjectSet& objects() override { return *matrix_.objects().data().objects; }
  [[nodiscard]] const Similarity<T>& entries() override { return *matrix_.state().exact.entries; }
  [[nodiscard]] const ObjectSet& compared() override { return matrix_.compared(); }
  [[nodiscard]] Index evaluations() const override { return matrix_.evaluations() - before_; }

 private:
  SimilarityMatrix<T> matrix_;
  Index before_;
};

TaskInput input_of(const Session& session, const TaskDescriptor& task, const std::vector<std::string>& results,
                   const GivenValues& given, const TaskOptions& options) {
  std::vector<std::string> words = results;
  for (const GivenValues* more : {&given, &options.points, &options.method}) words = words_of(*more, std::move(words));
  words.insert(words.begin(), {task.name, options.output.file, options.precision});
  session.require_same_call("run_task", std::move(words));
  const bool of_points = !task.needs.argument.empty();
  return {.execution = session.execution(),
          .results = results,
          .values = values_of(task.parameters, given),
          .output = options.output,
          .memory = session.memory(),
          .provenance = options.provenance,
          .points = of_points ? std::optional(values_of(point_data().parameters, options.points)) : std::nullopt,
          .method = task.needs.method != nullptr
                        ? std::optional(values_of(task.needs.method().parameters, options.method))
                        : std::nullopt,
          .precision = options.precision,
          .tell = options.tell};
}

}  // namespace

TaskReport run_task(const Session& session, const std::string& task, const std::vector<std::string>& results,
                    const GivenValues& given, const TaskOptions& options) {
  const TaskDescriptor& chosen = task_named(task);
  return run_task(chosen, input_of(session, chosen, results, given, options));
}

template <class T>
TaskReport run_task(const Session& session, const std::string& task, const std::vector<std::string>& results,
                    const SimilarityMatrix<T>& matrix, const GivenValues& given, const TaskOptions& options) {
  const TaskDescriptor& chosen = task_named(task);
  TaskInput input = input_of(session, chosen, results, given, options);
  const auto find = [&](const std::string& path, const ResultDescription& description) {
    if (description.data_digest != matrix.objects().data().digest) {
      throw Error(ErrorKind::input, fmt::format("{} was made from other objects than those of the matrix", path));
    }
    return std::make_unique<MatrixOfProgram<T>>(matrix);
  };
  const auto refuse = [](const std::string& path, const ResultDescription&) -> std::nullptr_t {
    throw Error(ErrorKind::input, fmt::format("{} is not in the precision of the matrix", path));
  };
  if constexpr (std::is_same_v<T, float>) {
    input.matrix_single = find;
    input.matrix_double = refuse;
  } else {
    input.matrix_double = find;
    input.matrix_single = refuse;
  }
  return run_task(chosen, input);
}

TaskReport predict(const Session& session, const std::string& model, const OutputPath& output,
                   const PredictionOptions& options) {
  std::vector<std::string> words = options.results;
  words.insert(words.begin(), {model, output.file, options.rows});
  session.require_same_call("predict", words_of(options.points, std::move(words)));
  std::vector<FileRead> files = {{"the model", model}, {"the list of rows", options.rows}};
  for (const std::string& path : options.results) files.push_back({"the result", path});
  require_same_files(session.communicator(), files);
  check_writable(session.communicator(), output);
  return predict_rows({.execution = session.execution(),
                       .model = model,
                       .output = output,
                       .results = options.results,
                       .points = options.points.empty()
                                     ? std::nullopt
                                     : std::optional(values_of(point_data().parameters, options.points)),
                       .rows = options.rows});
}

template TaskReport run_task(const Session&, const std::string&, const std::vector<std::string>&,
                             const SimilarityMatrix<float>&, const GivenValues&, const TaskOptions&);
template TaskReport run_task(const Session&, const std::string&, const std::vector<std::string>&,
                             const SimilarityMatrix<double>&, const GivenValues&, const TaskOptions&);

}  // namespace cairn
