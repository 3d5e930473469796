// Definition of a task: its name, parameters and their rules, requirements, and the function that runs it on results.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// K itself, for the objects that a result was made from. The caller of a task knows where the objects are.
template <class T>
class MatrixOfResult {
 public:
  virtual ~MatrixOfResult() = default;

  /// The objects, one for each row of the result, with their labels. Collective.
  [[nodiscard]] virtual const ObjectSet& objects() = 0;
  /// entries() computes entries of K; compared() returns the objects it compares: the objects of the result, or the
  /// vertices of a mesh by their positions. Collective.
  [[nodiscard]] virtual const Similarity<T>& entries() = 0;
  [[nodiscard]] virtual const ObjectSet& compared() = 0;
  /// Number of evaluations by this rank so far. Local.
  [[nodiscard]] virtual Index evaluations() const = 0;
  /// Warnings about the evaluations. Local.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Bytes that a node holds in addition to a matrix of `matrix_bytes` bytes while the matrix is evaluated. Collective.
  [[nodiscard]] virtual Index bytes_beside(Index /*matrix_bytes*/) const { return 0; }
};

template <class T>
using FindMatrix = std::function<std::unique_ptr<MatrixOfResult<T>>(const std::string& path, const ResultDescription&)>;

/// Names in messages of the keys that a user can change besides the parameters of a task, which its Values name.
struct TaskKeys {
  KeyNames data{}, approximation{};
};

/// Input of a task. References, and objects that the functions refer to, must outlive the run.
struct TaskInput {
  const Execution& execution;
  std::vector<std::string> results;                 ///< paths of result files
  Values values;                                    ///< of the task's parameters
  OutputPath output{""};                            ///< file to write; an empty path: none
  MemoryLimit memory{};                             ///< of a rank
  std::map<std::string, std::string> provenance{};  ///< description of the run, stored in the file
  TaskKeys keys{};
  FindMatrix<float> matrix_single{};  ///< K itself, for a task that evaluates it
  FindMatrix<double> matrix_double{};
  std::optional<Values> points{};    ///< of point_data(), for a task that reads points
  std::optional<Values> method{};    ///< parameters of the method that the task runs (TaskNeeds::method)
  std::string precision = "double";  ///< of the points: single or double
  /// Called once, with a digest of what the task computes from, before an iteration whose states execution.ledger
  /// keeps; none: they are not kept. Collective.
  using BeginCheckpoint = std::function<void(std::uint64_t digest)>;
  BeginCheckpoint begin_checkpoint{};
  /// Called with each part of the report's text as soon as it is available. The first call passes an empty text, after
  /// the results have been checked and before the work begins. The same calls on every rank.
  std::function<void(const ReportText&)> tell{};
};

/// Output of a task's model for an object; predict and info depend on nothing else.
enum class ModelKind {
  none,           ///< no model is stored
  values,         ///< numbers: ModelFile
  distributions,  ///< a mean and a standard deviation: ProcessFile
  classes         ///< a class and a score for each class: ClassifierFile
};

/// K itself for result number `file`. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<MatrixOfResult<T>> matrix_of(const TaskInput& input, std::size_t file,
                                                           const ResultDescription& description) {
  if constexpr (std::is_same_v<T, float>) {
    return input.matrix_single(input.results[file], description);
  } else {
    return input.matrix_double(input.results[file], description);
  }
}

struct TaskNeeds {
  ModelKind model = ModelKind::none;   ///< kind of model that it writes
  std::string file{};                  ///< a sentence about the file that it writes; empty: a model, or no file
  std::vector<std::string> endings{};  ///< permitted endings of the name of this file: ".h5"; empty: any
  bool matrix = false;  ///< uses K itself, always or if its values request it: needs the objects that the results were
                        ///< made from, and their similarity
  bool points = false;  ///< uses the points that the results were made from, unless its values give a reason not to
                        ///< (`without_matrix`), where whoever runs it knows where they are
  bool square = true;   ///< needs a K with the same objects in rows and columns; false: the rows of L suffice
  bool labels = false;  ///< needs objects with labels
  bool near = false;    ///< uses exact entries of near objects if results have them
  /// A sentence about its argument if that is not a result: the task then also reads points.
  std::string argument{};
  const MethodDescriptor& (*method)() = nullptr;  ///< method that it runs on these points
  bool draws = true;                              ///< draws at random, unless `undrawn` returns a reason
  std::string several{};  ///< effect of several results: "give an ensemble"; empty: takes only one

  /// True if it writes a file. Local.
  [[nodiscard]] bool output() const { return model != ModelKind::none || !file.empty(); }
};

/// A task. The program derives everything about it from this struct.
struct TaskDescriptor {
  std::string name;
  std::string command = "train";  ///< command of the program that runs it
  std::string summary;            ///< a sentence for help
  std::string details{};          ///< more sentences
  std::string source;             ///< of the algorithm
  std::vector<Parameter> parameters{};
  TaskNeeds needs{};
  /// Checks rules about values beyond those of `parameters`. Called before anything is read, and by run_task().
  /// @param results  number of results @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values& values, std::size_t results) = nullptr;
  /// Reason why nothing is drawn at random, for messages about a given seed: "without NAME"; empty: random draws are
  /// made. Local.
  std::string (*undrawn)(const Values& values, std::size_t results) = nullptr;
  /// Reason why a checkpoint would keep nothing, for messages about one that is given: "with NAME direct"; empty:
  /// states of an iteration are kept. Null: none ever is. Local.
  std::string (*unkept)(const Values& values) = nullptr;
  /// Reason why K itself, or points, are not used, for messages about the location of the objects: "without NAME true";
  /// empty: they are. Null: they always are if needs.matrix or needs.points. Local.
  std::string (*without_matrix)(const Values& values) = nullptr;
  /// Collective.
  TaskReport (*run)(const TaskInput& input) = nullptr;

  [[nodiscard]] bool has(const std::string& parameter) const;
  /// True if it evaluates K itself. Local.
  [[nodiscard]] bool takes_matrix(const Values& values) const;
  /// True if it uses the points of results. Local.
  [[nodiscard]] bool takes_points(const Values& values) const;
};

}  // namespace cairn
