// Predictions of a model that a task wrote, for rows of the result that it was trained on or of an extension of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/task/task.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// K itself between the objects of a result and those of an extension of it.
template <class T>
class MatrixOfNewObjects {
 public:
  virtual ~MatrixOfNewObjects() = default;
  [[nodiscard]] virtual const ObjectSet& known() const = 0;
  [[nodiscard]] virtual const ObjectSet& unseen() const = 0;
  /// Compares objects of both sets. Local.
  [[nodiscard]] virtual const Similarity<T>& entries() const = 0;
};

/// @param known  path of a result @param unseen  path of an extension of it @param approximation  factors of the result
template <class T>
using FindNewObjects = std::function<std::unique_ptr<MatrixOfNewObjects<T>>(
    const std::string& known, const Approximation<T>& approximation, const std::string& unseen)>;

/// Input and output of a prediction. References, and objects that the function refers to, must outlive the call.
struct PredictionInput {
  const Execution& execution;
  std::string model;                   ///< path of the model file
  OutputPath output;                   ///< CSV file to write; empty path: none (only for a model that takes points)
  std::vector<std::string> results{};  ///< results whose rows are predicted: one per model of the file, or one for all;
                                       ///< empty: those that the models were trained on
  std::optional<Values> points{};      ///< of point_data(): points to predict, for a model that takes points
  std::string rows{};                  ///< path of a list of rows (read_row_list); empty: all
  std::string format = "csv";          ///< of the output: csv, or semeval (ranking_file.hpp) for classifiers
  KeyNames keys{};                     ///< names of `results` and `format` in messages: "--result"
  /// K itself, for a model that compares objects: of a result, and between one and an extension of it.
  FindMatrix<float> matrix_single{};
  FindMatrix<double> matrix_double{};
  FindNewObjects<float> new_single{};
  FindNewObjects<double> new_double{};
  /// Called on every rank with the paths of the results before any of them is read.
  std::function<void(const std::vector<std::string>& results)> begin{};
};

/// Parameters result, rows, out and format: the user's names for the members of PredictionInput. Local.
[[nodiscard]] std::vector<Parameter> prediction_parameters();

/// Predicts for rows, by the kind of model:
/// - kernel ridge regression: the mean of the models. Columns: row, those of RowNames, one per target, and name if rows
///   have texts or identifiers (the file of a text).
/// - Gaussian processes, and kernel ridge regression with variances: the targets, each followed by its standard
///   deviation, "sd TARGET".
/// - classifier: the classes, which are compared with the labels of the rows if there are any. Columns: row, those of
///   RowNames, predicted, a score for each class, name. Format semeval: one line for each row of a group with its group
///   and identifier, 0, the score of the positive label, and whether that label is predicted.
/// @throws Error(usage) if the number of results differs from the number of models, if the output would replace a
///   result, or if points are given to a model that takes results, or the reverse;
///   Error(input) if the factor of a result is neither the one a model was trained on nor an extension of it, and as
///   the readers; Error(resource). Collective.
[[nodiscard]] TaskReport predict_rows(const PredictionInput& input);

}  // namespace cairn
