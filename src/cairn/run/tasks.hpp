// Tasks on stored results: regression, classification, clusters, coordinates; and predictions of their models.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cairn/run/given.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/task/prediction.hpp"
#include "cairn/task/tasks.hpp"

namespace cairn {

class Session;

/// What a task is told beside its parameters.
struct TaskOptions {
  OutputPath output{""};                            ///< the file that is written, for a task that writes one
  std::function<void(const ReportText&)> tell{};    ///< is told each part of the report's text as soon as it is known
  std::map<std::string, std::string> provenance{};  ///< what that file is to say of the run
  GivenValues points{};  ///< which points a task reads that works on points (linearize): {{"path", "x.csv"}}
  GivenValues method{};  ///< parameters of the method that it runs: {{"features", 300}}
  std::string precision = "double";  ///< of these points: single or double
};

/// Runs a task by its name on the command line. @param results  paths of result files
/// @param given  parameters, by the names that its descriptor lists; `cairn help task NAME` describes them
/// @throws Error(usage) for an unknown name, a bad parameter (it is named), or a task on the matrix itself; as
///   run_task() of the task. Collective.
[[nodiscard]] TaskReport run_task(const Session& session, const std::string& task,
                                  const std::vector<std::string>& results, const GivenValues& given = {},
                                  const TaskOptions& options = {});

/// The same of a task on the matrix itself, which is evaluated here: `matrix` is that of all the results.
/// @throws Error(input) also for a result of other objects or another precision. Collective.
template <class T>
[[nodiscard]] TaskReport run_task(const Session& session, const std::string& task,
                                  const std::vector<std::string>& results, const SimilarityMatrix<T>& matrix,
                                  const GivenValues& given = {}, const TaskOptions& options = {});

/// Which rows a model predicts.
struct PredictionOptions {
  std::vector<std::string> results{};  ///< paths, as PredictionInput has them; empty: those of the training
  std::string rows{};                  ///< path of a list of rows; empty: all
  GivenValues points{};                ///< which points are predicted, by a model that takes points
};

/// Predicts with the model file that a task wrote, and writes a CSV file: as predict_rows(). Collective.
[[nodiscard]] TaskReport predict(const Session& session, const std::string& model, const OutputPath& output,
                                 const PredictionOptions& options = {});

}  // namespace cairn
