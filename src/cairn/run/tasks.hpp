// Tasks on stored results: regression, classification, clusters, coordinates; and predictions of their models.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cairn/parameters/given.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/task/prediction.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

class Session;

/// Inputs of a task besides its parameters.
struct TaskOptions {
  OutputPath output{""};                          ///< output file, for a task that writes one
  std::function<void(const ReportText&)> tell{};  ///< called with each part of the report's text as soon as it is known
  std::map<std::string, std::string> provenance{};  ///< provenance that the file stores
  GivenValues points{};              ///< points of a task that works on points (linearize): {{"path", "x.csv"}}
  GivenValues method{};              ///< parameters of the method that the task runs: {{"features", 300}}
  std::string precision = "double";  ///< of these points: single or double
};

/// Runs the task with this command-line name. @param results  paths of result files
/// @param given  parameters, by the names in its descriptor; `cairn help task NAME` describes them
/// @throws Error(usage) for an unknown name, a bad parameter (it is named), or a task on the matrix itself; as
/// run_task() of the task. Collective.
[[nodiscard]] TaskReport run_task(const Session& session, const std::string& task,
                                  const std::vector<std::string>& results, const GivenValues& given = {},
                                  const TaskOptions& options = {});

/// The same for a task on the matrix itself, which is evaluated here: `matrix` belongs to all the results.
/// @throws Error(input) also for a result of other objects or another precision. Collective.
template <class T>
[[nodiscard]] TaskReport run_task(const Session& session, const std::string& task,
                                  const std::vector<std::string>& results, const SimilarityMatrix<T>& matrix,
                                  const GivenValues& given = {}, const TaskOptions& options = {});

/// Rows that a model predicts.
struct PredictionOptions {
  std::vector<std::string> results{};  ///< paths, as in PredictionInput; empty: those of the training
  std::string rows{};                  ///< path of a list of rows; empty: all
  GivenValues points{};                ///< points to predict, for a model that takes points
};

/// Predicts with the model file of a task, and writes a CSV file, as predict_rows(). Collective.
[[nodiscard]] TaskReport predict(const Session& session, const std::string& model, const OutputPath& output,
                                 const PredictionOptions& options = {});

}  // namespace cairn
