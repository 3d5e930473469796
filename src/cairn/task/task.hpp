// What a task is: its name, its parameters and their rules, what it needs, and how to run it on results.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/base/execution.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// K itself, of the objects that a result was made from. Who runs a task knows where the objects are.
template <class T>
class MatrixOfResult {
 public:
  virtual ~MatrixOfResult() = default;

  /// The objects, one for each row of the result, with their labels. Collective.
  [[nodiscard]] virtual const ObjectSet& objects() = 0;
  /// What gives entries of K, and what it compares: the objects, or the vertices of a mesh by their positions.
  /// Collective.
  [[nodiscard]] virtual const Similarity<T>& entries() = 0;
  [[nodiscard]] virtual const ObjectSet& compared() = 0;
  /// Evaluations of this rank so far. Local.
  [[nodiscard]] virtual Index evaluations() const = 0;
  /// Sentences on what was evaluated. Local.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Bytes that a node holds beside a matrix of so many bytes while it is evaluated. Collective.
  [[nodiscard]] virtual Index bytes_beside(Index /*matrix_bytes*/) const { return 0; }
};

template <class T>
using FindMatrix = std::function<std::unique_ptr<MatrixOfResult<T>>(const std::string& path, const ResultDescription&)>;

/// How messages name what a user can change beside the parameters of a task, which their Values name.
struct TaskKeys {
  KeyNames data{}, approximation{};
};

/// What a task works on. References and what the functions refer to outlive the run.
struct TaskInput {
  const Execution& execution;
  std::vector<std::string> results;                 ///< paths of result files
  Values values;                                    ///< of the task's parameters
  OutputPath output{""};                            ///< the file that is written; an empty path: it writes none
  MemoryLimit memory{};                             ///< of a rank
  std::map<std::string, std::string> provenance{};  ///< what the file says of the run
  TaskKeys keys{};
  FindMatrix<float> matrix_single{};  ///< K itself, for a task that evaluates it
  FindMatrix<double> matrix_double{};
  std::optional<Values> points{};    ///< of point_data(), for a task that reads points
  std::optional<Values> method{};    ///< of the method that it runs (TaskNeeds::method)
  std::string precision = "double";  ///< of these points: single or double
  /// Is told each part of the report's text as soon as it is known; first an empty one, when the results were found to
  /// be fit and work begins. The same calls on every rank.
  std::function<void(const ReportText&)> tell{};
};

/// What the model of a task gives for an object; predict and info depend on nothing else.
enum class ModelKind {
  none,           ///< no model is kept
  values,         ///< numbers: ModelFile
  distributions,  ///< a mean and a standard deviation: ProcessFile
  classes         ///< a class and a score of each: ClassifierFile
};

/// K itself of the result number `file`. Collective.
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
  ModelKind model = ModelKind::none;   ///< that it writes
  std::string file{};                  ///< a sentence on the file that it writes; empty: a model, or none
  std::vector<std::string> endings{};  ///< that the name of this file may have: ".h5"; empty: any
  bool matrix = false;  ///< K itself, always or if its values ask for it: the objects that the results were made from,
                        ///< and their similarity
  bool square = true;   ///< a K of the same objects in rows and columns; false: the rows of L are enough
  bool labels = false;  ///< the objects have labels
  bool near = false;    ///< it takes exact entries of near objects where results have them
  /// A sentence on its argument, if that is no result: the task then reads points beside it.
  std::string argument{};
  const MethodDescriptor& (*method)() = nullptr;  ///< that it runs on these points
  bool draws = true;                              ///< at random, unless `undrawn` says that it does not
  std::string several{};  ///< what several results do: "give an ensemble"; empty: it takes one alone

  /// Whether it writes a file. Local.
  [[nodiscard]] bool output() const { return model != ModelKind::none || !file.empty(); }
};

/// A task. Everything that the program knows about it is derived from this.
struct TaskDescriptor {
  std::string name;
  std::string command = "train";  ///< of the program, which runs it
  std::string summary;            ///< a sentence for help
  std::string details{};          ///< more sentences
  std::string source;             ///< of the algorithm
  std::vector<Parameter> parameters{};
  TaskNeeds needs{};
  /// Its rules about values, beyond what `parameters` say: called before anything is read, and by run_task().
  /// @param results  how many @throws Error(usage) that names the parameter. Local.
  void (*check)(const Values& values, std::size_t results) = nullptr;
  /// Why nothing is drawn at random, for messages on a seed that was given: "without NAME"; empty: something is. Local.
  std::string (*undrawn)(const Values& values, std::size_t results) = nullptr;
  /// Why K itself is not evaluated, for messages on where its objects are: "without NAME true"; empty: it is. Null: it
  /// always is if needs.matrix. Local.
  std::string (*without_matrix)(const Values& values) = nullptr;
  /// Collective.
  TaskReport (*run)(const TaskInput& input) = nullptr;

  [[nodiscard]] bool has(const std::string& parameter) const;
  /// Whether it evaluates K itself. Local.
  [[nodiscard]] bool takes_matrix(const Values& values) const;
};

}  // namespace cairn
