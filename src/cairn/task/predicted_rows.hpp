// Rows for which a model makes predictions, and the output lines for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cairn/data/data_kind.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/prediction.hpp"

namespace cairn {

/// Reads a result without tiles: predictions use the left factor alone. In the phase "read". Collective.
template <class T>
[[nodiscard]] StoredResult<T> read_for_prediction(const PredictionInput& input, const std::string& path);

/// predict_rows() by the kind of model: classes of a classifier; means and standard deviations of Gaussian processes;
/// values of kernel ridge regression. For Gaussian processes each rank factors the covariance matrix of the training
/// rows for one target after the other (memory of a rank: process_bytes()). Collective.
[[nodiscard]] TaskReport predict_classes(const PredictionInput& input);
[[nodiscard]] TaskReport predict_distributions(const PredictionInput& input);
[[nodiscard]] TaskReport predict_values(const PredictionInput& input);
/// Those of Gaussian processes by Vecchia's likelihood, from the nearest training rows, which are held once per node.
[[nodiscard]] TaskReport predict_by_neighbors(const PredictionInput& input);

/// Path of the result for which a file with one model predicts: the given one, or the one of the training.
/// @throws Error(usage) if several are given. Local.
[[nodiscard]] std::string result_of_model(const PredictionInput& input, const std::string& trained_on);

/// The left factor that a model was trained on.
struct TrainedBasis {
  std::uint64_t digest = 0;
  Index columns = 0;
  std::string model;   ///< name in messages: "the model", "model 2"
  std::string result;  ///< path
};

/// @param digests, columns  of the left factor of the result at `path`, as digests_of_columns() gives them
/// @throws Error(input) if it is neither the basis nor an extension of it. Local.
void require_basis(const std::string& path, const std::vector<std::uint64_t>& digests, Index columns,
                   const TrainedBasis& basis);

/// @throws Error(usage) unless points are given, and no results: the model takes points of this dimension. Local.
void require_points(const PredictionInput& input, Index dimension);

/// Reads the points to predict as those that the model was trained on. In the phase "read". Collective.
template <class T>
[[nodiscard]] Data<T> read_new_points(const PredictionInput& input, const KnownPoints& trained_on);

/// @throws Error(usage) if points are given or the output is missing: the model takes rows of a result. Local.
void require_results(const PredictionInput& input);

/// Names of this rank's rows besides their labels: their texts (the file of a document) or, without texts, their
/// identifiers; empty if there are neither. Local.
[[nodiscard]] std::vector<std::string> names_beside(const ObjectTexts& texts);

/// The rows of a result that are predicted. Holds this rank's rows with their labels, their numbers in the file and
/// their names.
class PredictedRows {
 public:
  /// Takes all rows, or those of input.rows. @param labels, numbers  as in StoredResult @param names  from names_beside
  /// @throws as read_row_list. Collective.
  PredictedRows(const PredictionInput& input, const RowPartition& partition, std::vector<std::string> labels,
                std::vector<Index> numbers, std::vector<std::string> names);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] bool labelled() const { return names_.labelled(); }
  /// labels(): one label for each of this rank's rows. rows(): numbers of the predicted rows of this rank, ascending.
  [[nodiscard]] const std::vector<std::string>& labels() const { return names_.labels(); }
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  /// Number of predicted rows over all ranks. Collective.
  [[nodiscard]] Index count() const;
  /// Sentences that explain the columns of the output: one if rows have other numbers in the file. Local.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// Writes input.output, if it has a path. The columns are "row", those of RowNames ("label", "number"), `heading`,
  /// and "name" if rows have names. The line of rows()[at] contains own_fields(at), which begins with a comma, as
  /// `heading` does. In the phase "write". @throws as write_csv_lines. Collective.
  void write(const std::string& heading, const std::function<std::string(std::size_t at)>& own_fields) const;

  /// As write(), without heading, row numbers and labels: line(at, own) is the whole line of rows()[at], which is row
  /// `own` of this rank. Collective.
  void write_plain(const std::function<std::string(std::size_t at, std::size_t own)>& line) const;

 private:
  void write_lines(const std::string& heading,
                   const std::function<std::string(std::size_t at, std::size_t own)>& line) const;

  const PredictionInput& input_;
  RowPartition partition_;
  RowNames names_;
  std::vector<std::string> beside_;  // names_beside
  bool have_beside_ = false;
  std::vector<Index> rows_;
};

/// A sentence if the model was trained on the result for which it predicts: a score there covers mostly rows that the
/// model knows. @param path  of that result @param trained  number of training rows among its `rows`. Local.
[[nodiscard]] std::vector<std::string> training_notes(const PredictionInput& input, const std::string& path,
                                                      Index trained, Index rows);

/// Warnings and error of out-of-sample rows for the user. Local.
struct OutOfSample {
  std::vector<std::string> warnings{};
  std::optional<ExtensionError> error{};  ///< if there are out-of-sample rows

  void add(const ResultDescription& description, const std::string& path);
};

}  // namespace cairn
