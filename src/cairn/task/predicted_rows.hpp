// Rows for which a model predicts something, and the lines that are written of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cairn/store/result/extension.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/result/row_names.hpp"
#include "cairn/task/prediction.hpp"

namespace cairn {

/// A result without tiles: predictions take the left factor alone. In the phase "read". Collective.
template <class T>
[[nodiscard]] StoredResult<T> read_for_prediction(const PredictionInput& input, const std::string& path);

/// @throws Error(usage) for points, or without an output: the model takes rows of a result. Local.
void require_results(const PredictionInput& input);

/// What this rank's rows are called beside their labels: their texts (the file of a document), or, without any, their
/// identifiers; empty if there are neither. Local.
[[nodiscard]] std::vector<std::string> names_beside(const ObjectTexts& texts);

/// The rows of a result that are predicted, those of this rank with their labels, their numbers in the file and their
/// names.
class PredictedRows {
 public:
  /// All rows, or those of input.rows. @param labels, numbers  as StoredResult has them @param names  names_beside
  /// @throws as read_row_list. Collective.
  PredictedRows(const PredictionInput& input, const RowPartition& partition, std::vector<std::string> labels,
                std::vector<Index> numbers, std::vector<std::string> names);

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] bool labelled() const { return names_.labelled(); }
  /// This rank's labels, one for each of all its rows; and the numbers of those that are predicted, ascending.
  [[nodiscard]] const std::vector<std::string>& labels() const { return names_.labels(); }
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  /// Over all ranks. Collective.
  [[nodiscard]] Index count() const;
  /// Sentences on what the columns of the output are: one where rows have other numbers in the file. Local.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// Writes input.output, if it has a path: "row", the columns of RowNames ("label", "number"), `heading`, and "name"
  /// if rows have any; in the line of rows()[at] own_fields(at), which begin with a comma, as `heading` does. In the
  /// phase "write". @throws as write_csv_lines. Collective.
  void write(const std::string& heading, const std::function<std::string(std::size_t at)>& own_fields) const;

  /// The same without heading, row numbers and labels: line(at, own) is the whole line of rows()[at], the row number
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

/// A sentence if the result that is predicted is the one that the model was trained on: a score there is mostly of rows
/// that the model knows. @param path  of that result @param trained  rows, of `rows`. Local.
[[nodiscard]] std::vector<std::string> training_notes(const PredictionInput& input, const std::string& path,
                                                      Index trained, Index rows);

/// What users are told of rows that are out-of-sample. Local.
struct OutOfSample {
  std::vector<std::string> warnings{};
  std::optional<ExtensionError> error{};  ///< if they are

  void add(const ResultDescription& description, const std::string& path);
};

}  // namespace cairn
