// Predictions of a model that a task wrote, at rows of the result that it was trained on or of an extension of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/parameters/values.hpp"
#include "cairn/store/output_path.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// What is predicted, and where it goes. References and what the function refers to outlive the call.
struct PredictionInput {
  const Execution& execution;
  std::string model;  ///< path of the model file
  OutputPath output;  ///< the CSV file that is written; an empty path: none, by a model that takes points
  std::vector<std::string> results{};  ///< whose rows are predicted: one for each model of the file, or one for all;
                                       ///< empty: those that the models were trained on
  std::optional<Values> points{};      ///< of point_data(): those that are predicted, by a model that takes points
  std::string rows{};                  ///< path of a list of rows (read_row_list); empty: all
  std::string format = "csv";          ///< of the output: csv, or semeval (ranking_file.hpp), of classifiers
  KeyNames keys{};                     ///< how messages name `results` and `format`: "--result"
  /// Is called on every rank with the results that are taken, before anything of them is read.
  std::function<void(const std::vector<std::string>& results)> begin{};
};

/// result, rows, out and format, as a user names what PredictionInput holds. Local.
[[nodiscard]] std::vector<Parameter> prediction_parameters();

/// Predicts the mean of the models of kernel ridge regression (columns row, those of RowNames, a target each, and name
/// if rows have texts or identifiers: the file of a text); targets of Gaussian processes (after each one its standard
/// deviation, "sd TARGET"); or the classes of a classifier, which are compared with the labels of the rows if there are
/// any (columns row, those of RowNames, predicted, a score of each class, name); in format semeval a line for each row
/// of a group: its group and identifier, 0, the score of the positive label, and whether that is predicted.
/// @throws Error(usage) for another number of results than models, if the output would replace one of them, for points
///   and a model that takes results, or the reverse;
///   Error(input) for a result whose factor is not that which a model was trained on, nor an extension of it, and as
///   the readers; Error(resource). Collective.
[[nodiscard]] TaskReport predict_rows(const PredictionInput& input);

}  // namespace cairn
