// Classes that a model of nearest neighbors predicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/prediction.hpp"

namespace cairn {

/// Predicted classes of some own rows.
struct NeighborClasses {
  std::vector<double> scores;         ///< rows x classes, row-major
  std::vector<std::int32_t> classes;  ///< positions in the model's classes
};

/// Classes of rows of a result, by K itself: the one that the model was trained on, whose rows are not their own
/// neighbors, or an extension of it.
/// @param path, result  of the rows @param rows  numbers of own rows
/// @throws Error(usage) if the caller cannot read objects (PredictionInput::matrix_single and so on); Error(input) if
/// the result that the model was trained on is another one now. Collective.
template <class T>
[[nodiscard]] NeighborClasses classes_by_neighbors(const PredictionInput& input, const ClassifierFile& model,
                                                   const std::string& path, const StoredResult<T>& result,
                                                   const std::vector<Index>& rows);

}  // namespace cairn
